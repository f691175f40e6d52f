import { feedNumber } from "#src/domain/Tick.ts"
import type { LiveTick, Memory } from "#src/ticks/live/Memory.ts"
import type { Listener } from "../Listener.ts"
import type { Frames } from "./frames.ts"
import { type Line, topicOf, type Wanted } from "./wanted.ts"

/** What a socket gets of one line, for whichever of its subscriptions want it. */
interface Followed extends Line {
  readonly topic: string
  readonly memory: Memory
  readonly wantedBy: Set<string>
  /** `replaying`: everything after `told` is still to be sent. `paused`: the newest one will be. */
  state: "replaying" | "live" | "paused"
  /** The moment of the newest tick that was sent, or need not be. */
  told: number
  /** Everything after this moment was sent, or will be. */
  since: number
}

export interface Due {
  readonly line: Followed
  readonly tick: LiveTick
}

const inOrder = (a: Due, b: Due) => a.tick.at - b.tick.at || feedNumber(a.line.coin) - feedNumber(b.line.coin)

export const newestOf = (some: ReadonlyArray<Due>, count: number): ReadonlyArray<Due> =>
  some.toSorted(inOrder).slice(-count)

/** One socket that listens to price feeds: what it was sent, what is still to be sent, and where it is live. */
export class Attendance {
  readonly subscriptions = new Map<string, Wanted>()
  readonly #lines = new Map<string, Followed>()
  readonly #listener: Listener
  readonly #frames: Frames
  #due: Array<Due> = []

  constructor(listener: Listener, frames: Frames) {
    this.#listener = listener
    this.#frames = frames
  }

  /** Follows a line from now on; returns those of its ticks after `after` that this socket has not been sent. */
  follow(subscription: string, line: Line, memory: Memory, after: number | undefined): ReadonlyArray<Due> {
    const topic = topicOf(line)
    const there = this.#lines.get(topic)
    const newest = memory.position
    const followed = there ?? {
      ...line,
      topic,
      memory,
      wantedBy: new Set(),
      state: "replaying",
      told: Math.max(newest, after ?? newest),
      since: Math.max(newest, after ?? newest),
    }
    this.#lines.set(topic, followed)
    followed.wantedBy.add(subscription)
    if (after === undefined) return []
    return memory.after(after).flatMap((tick) => (tick.at <= followed.since ? [{ line: followed, tick }] : []))
  }

  /** Sends these first, oldest first. */
  due(some: ReadonlyArray<Due>): void {
    for (const { line, tick } of some) line.since = Math.min(line.since, tick.at - 1)
    this.#due.push(...some.toSorted(inOrder))
  }

  /** Lines that no other subscription wants are over. */
  forgo(subscription: string, lines: ReadonlyArray<Line>): void {
    for (const line of lines) {
      const followed = this.#lines.get(topicOf(line))
      if (followed === undefined || !followed.wantedBy.delete(subscription) || followed.wantedBy.size > 0) continue
      this.#listener.leave(followed.topic)
      this.#lines.delete(followed.topic)
    }
  }

  pause(): void {
    for (const line of this.#lines.values()) {
      if (line.state !== "live") continue
      this.#listener.leave(line.topic)
      line.state = "paused"
      line.told = line.memory.position
    }
  }

  /**
   * Sends as much as there is room for; live where everything has been sent. In one go, so that nothing comes in between.
   * Returns whether a line waits for its feed, whose newest tick the client has from elsewhere.
   */
  advance(): boolean {
    const { isGone, isBehind, hasRoom } = this.#listener
    if (isGone || isBehind || !hasRoom) return false
    for (const line of this.#lines.values()) if (line.state === "paused") this.#skip(line)
    do {
      for (const [sent, { line, tick }] of this.#due.entries()) {
        if (!this.#listener.hasRoom) {
          this.#due = this.#due.slice(sent)
          return false
        }
        if (this.#lines.get(line.topic) !== line) continue
        this.#listener.deliver(this.#frames.of(tick, line.memory, line.window))
      }
      this.#due = this.#whatCame()
    } while (this.#due.length > 0)
    return this.#goLive()
  }

  #skip(line: Followed): void {
    const missed = line.memory.after(line.told)
    const newest = missed.at(-1)
    if (newest !== undefined) {
      const { window, memory } = line
      this.#listener.deliver(
        missed.length > 1 ? this.#frames.afterGap(newest, memory, window) : this.#frames.of(newest, memory, window),
      )
      line.told = newest.at
    }
    line.state = "live"
    this.#listener.join(line.topic)
  }

  /** Ticks that came while older ones waited for room. */
  #whatCame(): Array<Due> {
    const came: Array<Due> = []
    for (const line of this.#lines.values()) {
      if (line.state !== "replaying") continue
      for (const tick of line.memory.after(line.told)) {
        came.push({ line, tick })
        line.told = tick.at
      }
    }
    return came.sort(inOrder)
  }

  #goLive(): boolean {
    let isAhead = false
    for (const line of this.#lines.values()) {
      if (line.state !== "replaying") continue
      if (line.told > line.memory.position) {
        isAhead = true
        continue
      }
      line.state = "live"
      this.#listener.join(line.topic)
    }
    return isAhead
  }
}
