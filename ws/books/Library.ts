import { Effect, Semaphore } from "effect"
import { staleMillis } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { type ChangeReader, readChange, type ShardNews } from "#src/books/followChanges.ts"
import { shardOf } from "#src/books/model.ts"
import { booksShards } from "#src/books/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Frame } from "../Frame.ts"
import type { BookNames } from "./frames.ts"
import { Replica } from "./Replica.ts"

/** The books that somebody here listens to, kept as the shards tell of them. */
export class Library implements ChangeReader {
  readonly #books: Books["Service"]
  readonly #shards: number
  readonly #replicas = new Map<string, Replica>()
  readonly #toRead = new Set<Replica>()
  /** Tokens that somebody wants and whose shard may not know it. */
  #toWant = new Set<string>()
  /** When each shard was last heard. */
  readonly #heardAt = new Map<number, number>()
  /** Those who listen to all books that there are. */
  #firehoses = 0
  readonly #strangers = new Set<string>()
  /** Those that no shard follows any more and nobody has named. */
  readonly #forsaken = new Set<Replica>()
  /** Counts the times that what is new was told. */
  flushes = 0

  constructor(books: Books["Service"], shards: number) {
    this.#books = books
    this.#shards = shards
  }

  static readonly make = Effect.gen(function* () {
    return new Library(yield* Books, (yield* Configuration).get(booksShards))
  })

  get(token: string): Replica | undefined {
    return this.#replicas.get(token)
  }

  get replicas(): IterableIterator<Replica> {
    return this.#replicas.values()
  }

  /** Somebody listens to it by name: its book is asked for until nobody does. */
  take(names: BookNames): void {
    const replica = this.#replicas.get(names.token) ?? this.#open(names)
    if (replica.listeners++ === 0) this.#toWant.add(names.token)
  }

  release(token: string): void {
    const replica = this.#replicas.get(token)
    if (replica === undefined || --replica.listeners > 0) return
    this.#toWant.delete(token)
    this.#closeUnused(replica)
  }

  beginFirehose(): void {
    this.#firehoses++
  }

  endFirehose(): void {
    if (--this.#firehoses > 0) return
    this.#strangers.clear()
    for (const replica of [...this.#replicas.values()]) this.#closeUnused(replica)
  }

  /** Books that only a firehose is about. */
  meet(tokens: Iterable<string>): void {
    if (this.#firehoses > 0) for (const token of tokens) if (!this.#replicas.has(token)) this.#strangers.add(token)
  }

  /** Tokens that a firehose tells of and that nobody has named here. */
  takeStrangers(): ReadonlyArray<string> {
    const strangers = [...this.#strangers]
    this.#strangers.clear()
    return strangers
  }

  /** Their books are kept while there is a firehose, and told as soon as they are there if one is listening already. */
  welcome(all: Iterable<BookNames>, isAwaited: boolean): void {
    if (this.#firehoses === 0) return
    for (const names of all) {
      if (this.#replicas.has(names.token)) continue
      const replica = this.#open(names)
      if (isAwaited || this.#firehoses > 1) replica.await()
    }
  }

  lost(shard: number): void {
    for (const replica of this.#replicas.values()) {
      if (replica.shard !== shard) continue
      replica.miss()
      this.#toRead.add(replica)
    }
  }

  heard({ shard, epoch, at, changes }: ShardNews): void {
    if (at - (this.#heardAt.get(shard) ?? at) > staleMillis) this.lost(shard)
    this.#heardAt.set(shard, at)
    for (const [token, text] of changes) {
      const replica = this.#replicas.get(token)
      const change = replica === undefined && this.#firehoses === 0 ? undefined : readChange(text)
      if (change === undefined) continue
      if (replica === undefined) {
        if (change.gone === undefined) this.meet([token])
        continue
      }
      if (replica.hear(epoch, change)) this.#toRead.add(replica)
      if (change.gone !== "left") continue
      replica.miss()
      if (replica.listeners > 0) this.#toWant.add(token)
      else this.#forsaken.add(replica)
    }
  }

  /** Reads the books that are in doubt; without Redis it is tried again. */
  readonly read = Effect.suspend(() => {
    const replicas = [...this.#toRead]
    this.#toRead.clear()
    if (replicas.length === 0) return Effect.void
    for (const replica of replicas) replica.beginReading()
    return this.#books.whole(replicas.map(({ names }) => names.token)).pipe(
      Effect.match({
        onSuccess: (whole) => {
          for (const replica of replicas) if (replica.install(whole.get(replica.names.token))) this.#toRead.add(replica)
        },
        onFailure: () => {
          for (const replica of replicas) {
            replica.giveUpReading()
            this.#toRead.add(replica)
          }
        },
      }),
    )
    // One after the other: whoever waits for a book need not know who reads it, and no older one replaces a newer.
  }).pipe(Semaphore.makeUnsafe(1).withPermits(1))

  /** Tells the shards which books are wanted: those that they may not know of, or all. */
  readonly want = (which: "new" | "all") =>
    Effect.suspend(() => {
      const tokens =
        which === "new"
          ? this.#toWant
          : [...this.#replicas].flatMap(([token, { listeners }]) => (listeners > 0 ? token : []))
      const wanted = new Set(tokens)
      this.#toWant = new Set()
      if (wanted.size === 0) return Effect.void
      return Effect.catch(this.#books.want(wanted), () =>
        Effect.sync(() => {
          for (const token of wanted) if ((this.#replicas.get(token)?.listeners ?? 0) > 0) this.#toWant.add(token)
        }),
      )
    })

  /** What those who listen have not been told yet, by token. */
  flush(now: number, tell: (token: string, frame: Frame) => void): void {
    this.flushes++
    for (const [shard, at] of this.#heardAt) if (now - at > staleMillis) this.#doubt(shard)
    for (const [token, replica] of this.#replicas) {
      const frames = replica.flush(now)
      if (frames.length > 0) replica.toldIn = this.flushes
      for (const frame of frames) tell(token, frame)
    }
    for (const replica of this.#forsaken) {
      if (replica.isReady || replica.listeners > 0) this.#forsaken.delete(replica)
      else if (replica.isStale) this.#close(replica)
    }
  }

  #doubt(shard: number): void {
    for (const replica of this.#replicas.values()) if (replica.shard === shard) replica.doubt()
  }

  #open(names: BookNames): Replica {
    const replica = new Replica(names, shardOf(names.token, this.#shards))
    this.#replicas.set(names.token, replica)
    this.#toRead.add(replica)
    return replica
  }

  #closeUnused(replica: Replica): void {
    if (replica.listeners === 0 && this.#firehoses === 0) this.#close(replica)
  }

  #close(replica: Replica): void {
    this.#replicas.delete(replica.names.token)
    this.#toRead.delete(replica)
    this.#forsaken.delete(replica)
  }
}
