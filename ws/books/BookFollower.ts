import type { Subscriber } from "../channel/Channel.ts"
import type { BookReplica } from "./BookReplica.ts"
import type { BookReplicas } from "./BookReplicas.ts"
import type { BookRequest } from "./bookRequest.ts"
import { type BookNames, snapshotBatch } from "./frames.ts"

export const firehoseTopic = "book:*"
export const topicOf = (token: string) => `book:${token}`

/** Up to this many snapshots are sent at once; more are sent in parts, as there is room. */
const maxAtOnce = 99
const partSize = 50
/** Requests for snapshots that may wait. */
const maxRuns = 20

/** Snapshots to be sent. */
interface SnapshotRun {
  readonly tokens: Array<string>
  readonly total: number
  /** The books changed while the socket was behind. */
  readonly isGap: boolean
  /** Not requested by the client, so no `snapshots_done` follows. */
  readonly isUnrequested: boolean
  /** Books that are not available yet: each is published once it is. */
  readonly late: Set<string>
  sent: number
  /** When `snapshots_done` is sent even if some are still late. */
  until?: number
}

/** A book that nobody used before takes about two seconds; one that the venue does not have never comes. */
const lateMillis = 5_000

const resyncLimit = { max: 10, withinMillis: 10_000 }

/**
 * Delivers order books to one socket. The socket joins a book's topic once it was sent the snapshot. With a firehose, it
 * joins the books one by one until it has all of them, then the firehose topic.
 */
export class BookFollower {
  readonly subscriber: Subscriber
  readonly subscriptionId: string
  readonly #replicas: BookReplicas
  readonly #tokens = new Set<string>()
  readonly #joined = new Set<string>()
  #firehose: "none" | "filling" | "open" = "none"
  #runs: Array<SnapshotRun> = []
  /** Requested runs of which only late books are missing. */
  #unfinished: Array<SnapshotRun> = []
  /** The last flush that the socket received, in whole or in part, before it fell behind. */
  #pausedAt: number | undefined
  #resyncedAt: Array<number> = []

  constructor(subscriber: Subscriber, replicas: BookReplicas) {
    this.subscriber = subscriber
    this.subscriptionId = subscriber.nextSubscriptionId()
    this.#replicas = replicas
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

  /** A reader that is behind could otherwise pile up requests. */
  get hasRoomForRuns(): boolean {
    return this.#runs.length + this.#unfinished.length < maxRuns
  }

  follows(token: string): boolean {
    return this.#tokens.has(token) || (this.isFirehose && this.#replicas.get(token) !== undefined)
  }

  add(all: Iterable<BookNames>): void {
    for (const names of all) {
      if (this.#tokens.has(names.token)) continue
      this.#tokens.add(names.token)
      this.#replicas.retain(names)
    }
  }

  openFirehose(): void {
    if (this.isFirehose) return
    this.#firehose = "filling"
    this.#replicas.beginFirehose()
  }

  closeFirehose(): void {
    if (!this.isFirehose) return
    const wasOpen = this.#firehose === "open"
    this.#firehose = "none"
    if (wasOpen) {
      this.subscriber.leave(firehoseTopic)
      if (this.#pausedAt === undefined) for (const token of this.#tokens) this.#join(token)
    }
    for (const token of [...this.#joined]) if (!this.#tokens.has(token)) this.#leave(token)
    this.#replicas.endFirehose()
  }

  /** Drops all named books except these. */
  keepOnly(tokens: ReadonlyMap<string, unknown>): void {
    this.#drop([...this.#tokens].filter((token) => !tokens.has(token)))
  }

  dropNamed({ tokens, conditions, slugs, isAll }: BookRequest): void {
    if (isAll) this.closeFirehose()
    this.#drop(
      [...this.#tokens].filter((token) => {
        const { condition, slug, eventSlug } = this.#replicas.get(token)?.names ?? {}
        const isNamed = (names: ReadonlySet<string>, name: string | null | undefined) => names.has(name ?? "")
        return tokens.has(token) || isNamed(conditions, condition) || isNamed(slugs, slug) || isNamed(slugs, eventSlug)
      }),
    )
  }

  dropAll(): void {
    this.closeFirehose()
    this.#drop([...this.#tokens])
    this.#runs = []
    this.#unfinished = []
  }

  /** Sends snapshots, then `snapshots_done`, which waits a few seconds for books that are not available yet. */
  sendSnapshots(tokens: Iterable<string>): void {
    this.#queue([...tokens], {})
    this.resume()
  }

  /** Milliseconds until the next resync is allowed; 0 if it is allowed now. */
  tryResync(now: number): number {
    this.#resyncedAt = this.#resyncedAt.filter((at) => now - at < resyncLimit.withinMillis)
    const [oldest] = this.#resyncedAt
    if (oldest !== undefined && this.#resyncedAt.length >= resyncLimit.max)
      return oldest + resyncLimit.withinMillis - now
    this.#resyncedAt.push(now)
    return 0
  }

  pause(): void {
    if (this.#pausedAt !== undefined) return
    this.#pausedAt = this.#replicas.flushes
    if (this.#firehose === "open") this.subscriber.leave(firehoseTopic)
    for (const token of this.#joined) this.subscriber.leave(topicOf(token))
  }

  /** Called when there is room: sends missed changes first, then pending snapshots. */
  resume(): void {
    if (this.subscriber.isClosed || this.subscriber.isBehind) return
    this.#rejoin()
    for (let run = this.#runs[0]; run !== undefined && this.subscriber.hasRoom; run = this.#runs[0]) {
      if (run.tokens.length > 0) this.#sendPart(run)
      if (run.tokens.length > 0) continue
      this.#runs.shift()
      if (run.isUnrequested) continue
      if (run.late.size === 0) this.#sendDone(run)
      else this.#unfinished.push(run)
    }
    if (this.#runs.length === 0 && this.#firehose === "filling") this.#completeFirehose()
  }

  /** Called after each flush: ends the runs whose late books it has sent. */
  flushed(now: number): void {
    if (this.#unfinished.length === 0 || this.#pausedAt !== undefined || this.#runs.length > 0) return
    this.#unfinished = this.#unfinished.filter((run) => {
      for (const token of run.late) {
        const replica = this.#replicas.get(token)
        const isFollowed = replica !== undefined && this.follows(token)
        if (isFollowed && replica.isAwaited) continue
        run.late.delete(token)
        if (isFollowed) run.sent++
      }
      run.until ??= now + lateMillis
      if (run.late.size > 0 && now < run.until) return true
      this.#sendDone(run)
      return false
    })
  }

  #sendDone({ sent, late }: SnapshotRun): void {
    this.subscriber.send({
      type: "snapshots_done",
      subscription_id: this.subscriptionId,
      total: sent,
      ...(late.size === 0 ? {} : { pending: late.size }),
    })
  }

  #rejoin(): void {
    const since = this.#pausedAt
    if (since === undefined) return
    this.#pausedAt = undefined
    const missed: Array<string> = []
    // The socket may have fallen behind in the middle of that flush.
    const isMissed = (replica: BookReplica | undefined) => (replica?.lastChangedFlush ?? 0) >= since
    if (this.#firehose === "open") {
      // Missed books are sent one by one; the others are joined in the meantime.
      this.#firehose = "filling"
      for (const replica of this.#replicas.all) {
        if (isMissed(replica)) missed.push(replica.names.token)
        else this.#join(replica.names.token)
      }
    } else {
      for (const token of this.#joined) {
        if (isMissed(this.#replicas.get(token))) missed.push(token)
        else this.subscriber.join(topicOf(token))
      }
    }
    for (const token of missed) this.#joined.delete(token)
    if (missed.length > 0) this.#queue(missed, { isGap: true, isUnrequested: true })
  }

  /** Joins the firehose topic once all available books have been sent. */
  #completeFirehose(): void {
    const others = [...this.#replicas.all].map(({ names }) => names.token).filter((token) => !this.#joined.has(token))
    if (others.length > 0) {
      this.#queue(others, { isUnrequested: true })
      this.resume()
      return
    }
    this.#firehose = "open"
    this.subscriber.join(firehoseTopic)
    for (const token of [...this.#joined]) this.#leave(token)
  }

  #queue(
    tokens: Array<string>,
    { isGap = false, isUnrequested = false }: Partial<Pick<SnapshotRun, "isGap" | "isUnrequested">>,
  ): void {
    const run = { tokens, total: tokens.length, isGap, isUnrequested, late: new Set<string>(), sent: 0 }
    if (isGap) this.#runs.unshift(run)
    else this.#runs.push(run)
  }

  #sendPart(run: SnapshotRun): void {
    const part = run.tokens.splice(0, run.total > maxAtOnce ? partSize : maxAtOnce)
    const snapshots: Array<string> = []
    for (const token of part) {
      const replica = this.#replicas.get(token)
      if (replica === undefined || !this.follows(token)) continue
      if (replica.isReady) snapshots.push(replica.snapshot)
      else {
        replica.sendWhenReady()
        run.late.add(token)
      }
      if (this.#firehose !== "open") this.#join(token)
    }
    if (snapshots.length === 0) return
    run.sent += snapshots.length
    const batch = { subscriptionId: this.subscriptionId, totalSent: run.sent, gap: run.isGap }
    this.subscriber.deliver(snapshotBatch(snapshots, batch))
  }

  #drop(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) {
      this.#tokens.delete(token)
      if (this.#firehose !== "filling") this.#leave(token)
      this.#replicas.release(token)
    }
  }

  #join(token: string): void {
    this.#joined.add(token)
    this.subscriber.join(topicOf(token))
  }

  #leave(token: string): void {
    if (this.#joined.delete(token)) this.subscriber.leave(topicOf(token))
  }
}
