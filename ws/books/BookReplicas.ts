import { Effect, Semaphore } from "effect"
import { staleMillis } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { type ChangeReader, readChange, type ShardUpdate } from "#src/books/followChanges.ts"
import { shardOf } from "#src/books/model.ts"
import { booksShards } from "#src/books/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Frame } from "../channel/Frame.ts"
import { BookReplica } from "./BookReplica.ts"
import type { BookNames } from "./frames.ts"

/** Replicas of the books that this gateway's subscribers follow, kept up to date from the shards. */
export class BookReplicas implements ChangeReader {
  readonly #books: Books["Service"]
  readonly #shards: number
  readonly #replicas = new Map<string, BookReplica>()
  readonly #toRead = new Set<BookReplica>()
  /** Followed tokens that may not have been requested from their shard. */
  #toRequest = new Set<string>()
  /** Time of the last message of each shard. */
  readonly #lastMessageAt = new Map<number, number>()
  /** Number of subscribers to all books. */
  #firehoses = 0
  /** Tokens that only a firehose covers and that have no replica yet. */
  readonly #unknown = new Set<string>()
  /** Replicas that no shard follows any more and no subscriber has named. */
  readonly #abandoned = new Set<BookReplica>()
  /** Number of flushes so far. */
  flushes = 0

  constructor(books: Books["Service"], shards: number) {
    this.#books = books
    this.#shards = shards
  }

  static readonly make = Effect.gen(function* () {
    return new BookReplicas(yield* Books, (yield* Configuration).get(booksShards))
  })

  get(token: string): BookReplica | undefined {
    return this.#replicas.get(token)
  }

  get all(): IterableIterator<BookReplica> {
    return this.#replicas.values()
  }

  /** Opens a book for a subscriber that named it; it is requested from its shard until all have released it. */
  retain(names: BookNames): void {
    const replica = this.#replicas.get(names.token) ?? this.#open(names)
    if (replica.subscribers++ === 0) this.#toRequest.add(names.token)
  }

  release(token: string): void {
    const replica = this.#replicas.get(token)
    if (replica === undefined || --replica.subscribers > 0) return
    this.#toRequest.delete(token)
    this.#closeUnused(replica)
  }

  beginFirehose(): void {
    this.#firehoses++
  }

  endFirehose(): void {
    if (--this.#firehoses > 0) return
    this.#unknown.clear()
    for (const replica of [...this.#replicas.values()]) this.#closeUnused(replica)
  }

  addUnknown(tokens: Iterable<string>): void {
    if (this.#firehoses > 0) for (const token of tokens) if (!this.#replicas.has(token)) this.#unknown.add(token)
  }

  takeUnknown(): ReadonlyArray<string> {
    const tokens = [...this.#unknown]
    this.#unknown.clear()
    return tokens
  }

  /** Opens books for the firehoses. They are sent once ready if a firehose already waits for them. */
  openAll(all: Iterable<BookNames>, isAwaited: boolean): void {
    if (this.#firehoses === 0) return
    for (const names of all) {
      if (this.#replicas.has(names.token)) continue
      const replica = this.#open(names)
      if (isAwaited || this.#firehoses > 1) replica.sendWhenReady()
    }
  }

  lost(shard: number): void {
    for (const replica of this.#replicas.values()) {
      if (replica.shard !== shard) continue
      replica.markMissed()
      this.#toRead.add(replica)
    }
  }

  receive({ shard, epoch, at, changes }: ShardUpdate): void {
    if (at - (this.#lastMessageAt.get(shard) ?? at) > staleMillis) this.lost(shard)
    this.#lastMessageAt.set(shard, at)
    for (const [token, text] of changes) {
      const replica = this.#replicas.get(token)
      const change = replica === undefined && this.#firehoses === 0 ? undefined : readChange(text)
      if (change === undefined) continue
      if (replica === undefined) {
        if (change.gone === undefined) this.addUnknown([token])
        continue
      }
      if (replica.apply(epoch, change)) this.#toRead.add(replica)
      if (change.gone !== "left") continue
      replica.markMissed()
      if (replica.subscribers > 0) this.#toRequest.add(token)
      else this.#abandoned.add(replica)
    }
  }

  /** Reads the books whose state is uncertain; retried while Redis is unavailable. */
  readonly read = Effect.suspend(() => {
    const replicas = [...this.#toRead]
    this.#toRead.clear()
    if (replicas.length === 0) return Effect.void
    for (const replica of replicas) replica.beginReading()
    return this.#books.fullBooks(replicas.map(({ names }) => names.token)).pipe(
      Effect.match({
        onSuccess: (whole) => {
          for (const replica of replicas) if (replica.install(whole.get(replica.names.token))) this.#toRead.add(replica)
        },
        onFailure: () => {
          for (const replica of replicas) {
            replica.abandonReading()
            this.#toRead.add(replica)
          }
        },
      }),
    )
    // Serialised, so that a caller can wait for a read it did not start, and an older book never replaces a newer one.
  }).pipe(Semaphore.makeUnsafe(1).withPermits(1))

  /** Requests books from the shards: those not yet requested, or all. */
  readonly request = (which: "new" | "all") =>
    Effect.suspend(() => {
      const tokens =
        which === "new"
          ? this.#toRequest
          : [...this.#replicas].flatMap(([token, { subscribers }]) => (subscribers > 0 ? token : []))
      const requested = new Set(tokens)
      this.#toRequest = new Set()
      if (requested.size === 0) return Effect.void
      return Effect.catch(this.#books.request(requested), () =>
        Effect.sync(() => {
          for (const token of requested)
            if ((this.#replicas.get(token)?.subscribers ?? 0) > 0) this.#toRequest.add(token)
        }),
      )
    })

  /** Publishes the changes since the last flush. */
  flush(now: number, publish: (token: string, frame: Frame) => void): void {
    this.flushes++
    for (const [shard, at] of this.#lastMessageAt) if (now - at > staleMillis) this.#markUncertain(shard)
    for (const [token, replica] of this.#replicas) {
      const frames = replica.flush(now)
      if (frames.length > 0) replica.lastChangedFlush = this.flushes
      for (const frame of frames) publish(token, frame)
    }
    for (const replica of this.#abandoned) {
      if (replica.isReady || replica.subscribers > 0) this.#abandoned.delete(replica)
      else if (replica.isStale) this.#close(replica)
    }
  }

  #markUncertain(shard: number): void {
    for (const replica of this.#replicas.values()) if (replica.shard === shard) replica.markUncertain()
  }

  #open(names: BookNames): BookReplica {
    const replica = new BookReplica(names, shardOf(names.token, this.#shards))
    this.#replicas.set(names.token, replica)
    this.#toRead.add(replica)
    return replica
  }

  #closeUnused(replica: BookReplica): void {
    if (replica.subscribers === 0 && this.#firehoses === 0) this.#close(replica)
  }

  #close(replica: BookReplica): void {
    this.#replicas.delete(replica.names.token)
    this.#toRead.delete(replica)
    this.#abandoned.delete(replica)
  }
}
