import { feedNumber } from "#src/domain/Tick.ts"
import type { FeedMemory, LiveTick } from "#src/ticks/live/FeedMemory.ts"
import type { Subscriber } from "../channel/Channel.ts"
import type { TickFrames } from "./frames.ts"
import { type TickRequest, type TickSeries, topicOf } from "./tickRequest.ts"

/** A series that the socket receives, for one or more of its subscriptions. */
interface FollowedSeries extends TickSeries {
  readonly topic: string
  readonly memory: FeedMemory
  readonly subscriptions: Set<string>
  /** `replaying`: ticks after `sentUpTo` are pending. `paused`: the newest tick will be sent on resume. */
  state: "replaying" | "live" | "paused"
  /** Time of the newest tick that was sent or need not be sent. */
  sentUpTo: number
  /** All ticks after this time were sent or will be sent. */
  since: number
}

interface PendingTick {
  readonly series: FollowedSeries
  readonly tick: LiveTick
}

const byTime = (a: PendingTick, b: PendingTick) =>
  a.tick.at - b.tick.at || feedNumber(a.series.coin) - feedNumber(b.series.coin)

export const newestOf = (ticks: ReadonlyArray<PendingTick>, count: number): ReadonlyArray<PendingTick> =>
  ticks.toSorted(byTime).slice(-count)

/** Delivers price feeds to one socket: replays first, then live. */
export class TickFollower {
  readonly subscriptions = new Map<string, TickRequest>()
  readonly #series = new Map<string, FollowedSeries>()
  readonly #subscriber: Subscriber
  readonly #frames: TickFrames
  #pending: Array<PendingTick> = []

  constructor(subscriber: Subscriber, frames: TickFrames) {
    this.#subscriber = subscriber
    this.#frames = frames
  }

  /** Follows a series from now on; returns its ticks after `after` that were not yet sent to this socket. */
  follow(
    subscription: string,
    series: TickSeries,
    memory: FeedMemory,
    after: number | undefined,
  ): ReadonlyArray<PendingTick> {
    const topic = topicOf(series)
    const existing = this.#series.get(topic)
    const newest = memory.position
    const followed = existing ?? {
      ...series,
      topic,
      memory,
      subscriptions: new Set(),
      state: "replaying",
      sentUpTo: Math.max(newest, after ?? newest),
      since: Math.max(newest, after ?? newest),
    }
    this.#series.set(topic, followed)
    followed.subscriptions.add(subscription)
    if (after === undefined) return []
    return memory.after(after).flatMap((tick) => (tick.at <= followed.since ? [{ series: followed, tick }] : []))
  }

  /** Queues ticks for replay, oldest first. */
  enqueue(ticks: ReadonlyArray<PendingTick>): void {
    for (const { series, tick } of ticks) series.since = Math.min(series.since, tick.at - 1)
    this.#pending.push(...ticks.toSorted(byTime))
  }

  /** Leaves the series that no other subscription needs. */
  unfollow(subscription: string, allSeries: ReadonlyArray<TickSeries>): void {
    for (const series of allSeries) {
      const followed = this.#series.get(topicOf(series))
      if (followed === undefined || !followed.subscriptions.delete(subscription) || followed.subscriptions.size > 0)
        continue
      this.#subscriber.leave(followed.topic)
      this.#series.delete(followed.topic)
    }
  }

  pause(): void {
    for (const series of this.#series.values()) {
      if (series.state !== "live") continue
      this.#subscriber.leave(series.topic)
      series.state = "paused"
      series.sentUpTo = series.memory.position
    }
  }

  /**
   * Sends as much as there is room for and goes live where nothing is pending. Synchronous, so that no tick comes in
   * between. Returns whether a series waits for its feed because the client already has newer ticks from another gateway.
   */
  advance(): boolean {
    const { isClosed, isBehind, hasRoom } = this.#subscriber
    if (isClosed || isBehind || !hasRoom) return false
    for (const series of this.#series.values()) if (series.state === "paused") this.#skipToNewest(series)
    do {
      for (const [sent, { series, tick }] of this.#pending.entries()) {
        if (!this.#subscriber.hasRoom) {
          this.#pending = this.#pending.slice(sent)
          return false
        }
        if (this.#series.get(series.topic) !== series) continue
        this.#subscriber.deliver(this.#frames.of(tick, series.memory, series.window))
      }
      this.#pending = this.#takeArrived()
    } while (this.#pending.length > 0)
    return this.#goLive()
  }

  #skipToNewest(series: FollowedSeries): void {
    const missed = series.memory.after(series.sentUpTo)
    const newest = missed.at(-1)
    if (newest !== undefined) {
      const { window, memory } = series
      this.#subscriber.deliver(
        missed.length > 1 ? this.#frames.afterGap(newest, memory, window) : this.#frames.of(newest, memory, window),
      )
      series.sentUpTo = newest.at
    }
    series.state = "live"
    this.#subscriber.join(series.topic)
  }

  /** Ticks that arrived while older ones waited for room. */
  #takeArrived(): Array<PendingTick> {
    const arrived: Array<PendingTick> = []
    for (const series of this.#series.values()) {
      if (series.state !== "replaying") continue
      for (const tick of series.memory.after(series.sentUpTo)) {
        arrived.push({ series, tick })
        series.sentUpTo = tick.at
      }
    }
    return arrived.sort(byTime)
  }

  #goLive(): boolean {
    let isAhead = false
    for (const series of this.#series.values()) {
      if (series.state !== "replaying") continue
      if (series.sentUpTo > series.memory.position) {
        isAhead = true
        continue
      }
      series.state = "live"
      this.#subscriber.join(series.topic)
    }
    return isAhead
  }
}
