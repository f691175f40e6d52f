import type { Coin, Tick, TickSource } from "#src/domain/Tick.ts"

/** A tick as published to live readers. */
export interface LiveTick extends Tick {
  readonly source: TickSource
  readonly id: string
  /** Ticks before it may be missing, because neither Redis nor Postgres had them. */
  readonly isAfterGap: boolean
}

/** Covers the longest replay of any plan at one tick a second, plus the window of its averages. */
export const keptMillis = 720_000

/** The last minutes of one feed and source, in order of time. */
export class FeedMemory {
  readonly source: TickSource
  readonly coin: Coin
  #ticks: Array<LiveTick> = []
  /** No tick after this moment is missing. */
  #completeAfter: number

  constructor(source: TickSource, coin: Coin, completeAfter: number) {
    this.source = source
    this.coin = coin
    this.#completeAfter = completeAfter
  }

  get ticks(): ReadonlyArray<LiveTick> {
    return this.#ticks
  }

  get newest(): LiveTick | undefined {
    return this.#ticks.at(-1)
  }

  /** Read position in milliseconds. */
  get position(): number {
    return this.newest?.at ?? this.#completeAfter
  }

  get completeAfter(): number {
    return Math.max(this.#completeAfter, this.position - keptMillis)
  }

  /** Adds a tick newer than all others; returns whether it was added. */
  add(tick: LiveTick): boolean {
    if (tick.at <= this.position) return false
    if (tick.isAfterGap) this.#completeAfter = tick.at - 1
    this.#ticks.push(tick)
    const oldest = tick.at - keptMillis
    // Trims only at 1.5 times the limit, so that the array is not copied for each tick.
    if ((this.#ticks[0]?.at ?? oldest) < oldest - keptMillis / 2)
      this.#ticks = this.#ticks.slice(this.indexAfter(oldest))
    return true
  }

  /** Index of the first tick after a moment. */
  indexAfter(at: number): number {
    let [low, high] = [0, this.#ticks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ticks[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  after(at: number): ReadonlyArray<LiveTick> {
    return this.#ticks.slice(this.indexAfter(at))
  }
}
