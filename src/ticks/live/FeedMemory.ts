import type { Coin, Tick, TickSource } from "#src/domain/Tick.ts"

/** A tick as live readers get it. */
export interface LiveTick extends Tick {
  readonly source: TickSource
  readonly id: string
  /** Ticks before it may have been lost on the way, and nobody could be asked. */
  readonly isAfterGap: boolean
}

/** As many as the largest plan may ask for, at one a second, and what averages look back on from there. */
export const keptMillis = 720_000

/** The last minutes of one feed of a source, in order of time. */
export class FeedMemory {
  readonly source: TickSource
  readonly coin: Coin
  #ticks: Array<LiveTick> = []
  /** Everything that was said after this moment is here. */
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

  /** Where it has been read up to, in milliseconds. */
  get position(): number {
    return this.newest?.at ?? this.#completeAfter
  }

  get completeAfter(): number {
    return Math.max(this.#completeAfter, this.position - keptMillis)
  }

  /** Takes what is newer than anything there. */
  add(tick: LiveTick): boolean {
    if (tick.at <= this.position) return false
    if (tick.isAfterGap) this.#completeAfter = tick.at - 1
    this.#ticks.push(tick)
    const oldest = tick.at - keptMillis
    // Half as much again may stay, so that the rest is not moved for each tick.
    if ((this.#ticks[0]?.at ?? oldest) < oldest - keptMillis / 2)
      this.#ticks = this.#ticks.slice(this.indexAfter(oldest))
    return true
  }

  /** The place of the first tick after a moment. */
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
