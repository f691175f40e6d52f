import type { Listener } from "../Listener.ts"
import type { Asked } from "./asked.ts"
import { type BookNames, snapshotBatch } from "./frames.ts"
import type { Library } from "./Library.ts"
import type { Replica } from "./Replica.ts"

export const firehoseTopic = "book:*"
export const topicOf = (token: string) => `book:${token}`

/** Up to so many are sent at once; more go in parts, as there is room for them. */
const mostAtOnce = 99
const partSize = 50

/** Whole books that are to be sent. */
interface Run {
  readonly tokens: Array<string>
  readonly total: number
  /** They changed while the socket was behind. */
  readonly isGap: boolean
  /** Nobody asked for them, so that nobody waits for their end. */
  readonly isUnasked: boolean
  sent: number
}

const resyncs = { most: 10, withinMillis: 10_000 }

/**
 * What one socket hears of order books. It hears the changes of a book from the moment on when it was sent the whole of it;
 * with a firehose it hears each book by itself until it has them all, and from then on all of them.
 */
export class Seat {
  readonly listener: Listener
  readonly subscriptionId: string
  readonly #library: Library
  readonly #tokens = new Set<string>()
  readonly #joined = new Set<string>()
  #firehose: "none" | "filling" | "open" = "none"
  #runs: Array<Run> = []
  /** The last flush of which it heard something before it fell behind. */
  #pausedAt: number | undefined
  #resyncedAt: Array<number> = []

  constructor(listener: Listener, library: Library) {
    this.listener = listener
    this.subscriptionId = listener.nextSubscriptionId()
    this.#library = library
  }

  get isEmpty(): boolean {
    return this.#tokens.size === 0 && this.#firehose === "none"
  }

  get isFirehose(): boolean {
    return this.#firehose !== "none"
  }

  get size(): number {
    return this.#tokens.size
  }

  hears(token: string): boolean {
    return this.#tokens.has(token) || (this.isFirehose && this.#library.get(token) !== undefined)
  }

  add(all: Iterable<BookNames>): void {
    for (const names of all) {
      if (this.#tokens.has(names.token)) continue
      this.#tokens.add(names.token)
      this.#library.take(names)
    }
  }

  openFirehose(): void {
    if (this.isFirehose) return
    this.#firehose = "filling"
    this.#library.beginFirehose()
  }

  closeFirehose(): void {
    if (!this.isFirehose) return
    const wasOpen = this.#firehose === "open"
    this.#firehose = "none"
    if (wasOpen) {
      this.listener.leave(firehoseTopic)
      if (this.#pausedAt === undefined) for (const token of this.#tokens) this.#join(token)
    }
    for (const token of [...this.#joined]) if (!this.#tokens.has(token)) this.#leave(token)
    this.#library.endFirehose()
  }

  /** Leaves all that it names but these. */
  keepOnly(tokens: ReadonlyMap<string, unknown>): void {
    this.#drop([...this.#tokens].filter((token) => !tokens.has(token)))
  }

  dropNamed({ tokens, conditions, slugs, isAll }: Asked): void {
    if (isAll) this.closeFirehose()
    this.#drop(
      [...this.#tokens].filter((token) => {
        const { condition, slug, eventSlug } = this.#library.get(token)?.names ?? {}
        const isNamed = (names: ReadonlySet<string>, name: string | null | undefined) => names.has(name ?? "")
        return tokens.has(token) || isNamed(conditions, condition) || isNamed(slugs, slug) || isNamed(slugs, eventSlug)
      }),
    )
  }

  dropAll(): void {
    this.closeFirehose()
    this.#drop([...this.#tokens])
    this.#runs = []
  }

  /** Sends these whole, then that all are sent; those that are not there yet come by themselves later. */
  sendWhole(tokens: Iterable<string>): void {
    this.#queue([...tokens], {})
    this.go()
  }

  /** Milliseconds until it may be asked for books anew; 0 when it may. */
  tryResync(now: number): number {
    this.#resyncedAt = this.#resyncedAt.filter((at) => now - at < resyncs.withinMillis)
    const [oldest] = this.#resyncedAt
    if (oldest !== undefined && this.#resyncedAt.length >= resyncs.most) return oldest + resyncs.withinMillis - now
    this.#resyncedAt.push(now)
    return 0
  }

  pause(): void {
    if (this.#pausedAt !== undefined) return
    this.#pausedAt = this.#library.flushes
    if (this.#firehose === "open") this.listener.leave(firehoseTopic)
    for (const token of this.#joined) this.listener.leave(topicOf(token))
  }

  /** There is room: what it missed comes first, then whatever waits to be sent. */
  go(): void {
    if (this.listener.isGone || this.listener.isBehind) return
    this.#resume()
    for (let run = this.#runs[0]; run !== undefined && this.listener.hasRoom; run = this.#runs[0]) {
      if (run.tokens.length > 0) this.#sendPart(run)
      if (run.tokens.length > 0) continue
      this.#runs.shift()
      if (!run.isUnasked)
        this.listener.send({ type: "snapshots_done", subscription_id: this.subscriptionId, total: run.sent })
    }
    if (this.#runs.length === 0 && this.#firehose === "filling") this.#fillFirehose()
  }

  #resume(): void {
    const since = this.#pausedAt
    if (since === undefined) return
    this.#pausedAt = undefined
    const missed: Array<string> = []
    // It may have fallen behind in the middle of that flush.
    const isMissed = (replica: Replica | undefined) => (replica?.toldIn ?? 0) >= since
    if (this.#firehose === "open") {
      // What it missed is sent book by book, and all others are heard meanwhile.
      this.#firehose = "filling"
      for (const replica of this.#library.replicas) {
        if (isMissed(replica)) missed.push(replica.names.token)
        else this.#join(replica.names.token)
      }
    } else {
      for (const token of this.#joined) {
        if (isMissed(this.#library.get(token))) missed.push(token)
        else this.listener.join(topicOf(token))
      }
    }
    for (const token of missed) this.#joined.delete(token)
    if (missed.length > 0) this.#queue(missed, { isGap: true, isUnasked: true })
  }

  /** Everything that is there has been sent: from now on all books are heard, also those that come later. */
  #fillFirehose(): void {
    const others = [...this.#library.replicas]
      .map(({ names }) => names.token)
      .filter((token) => !this.#joined.has(token))
    if (others.length > 0) {
      this.#queue(others, { isUnasked: true })
      this.go()
      return
    }
    this.#firehose = "open"
    this.listener.join(firehoseTopic)
    for (const token of [...this.#joined]) this.#leave(token)
  }

  #queue(tokens: Array<string>, { isGap = false, isUnasked = false }: Partial<Pick<Run, "isGap" | "isUnasked">>): void {
    const run = { tokens, total: tokens.length, isGap, isUnasked, sent: 0 }
    if (isGap) this.#runs.unshift(run)
    else this.#runs.push(run)
  }

  #sendPart(run: Run): void {
    const part = run.tokens.splice(0, run.total > mostAtOnce ? partSize : mostAtOnce)
    const snapshots: Array<string> = []
    for (const token of part) {
      const replica = this.#library.get(token)
      if (replica === undefined || !this.hears(token)) continue
      if (replica.isReady) snapshots.push(replica.snapshot)
      else replica.await()
      if (this.#firehose !== "open") this.#join(token)
    }
    if (snapshots.length === 0) return
    run.sent += snapshots.length
    const about = { subscriptionId: this.subscriptionId, totalSent: run.sent, gap: run.isGap }
    this.listener.deliver(snapshotBatch(snapshots, about))
  }

  #drop(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) {
      this.#tokens.delete(token)
      if (this.#firehose !== "filling") this.#leave(token)
      this.#library.release(token)
    }
  }

  #join(token: string): void {
    this.#joined.add(token)
    this.listener.join(topicOf(token))
  }

  #leave(token: string): void {
    if (this.#joined.delete(token)) this.listener.leave(topicOf(token))
  }
}
