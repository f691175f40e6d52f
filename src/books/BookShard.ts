import { MarketFeed } from "#src/upstream/clob/MarketFeed.ts"
import type { BookSnapshot, ClobEvent, LevelChange } from "#src/upstream/clob/model.ts"
import type { DecodedFrame } from "#src/upstream/clob/socketWire.ts"
import { FollowedBook } from "./FollowedBook.ts"
import type { ResyncReason } from "./model.ts"

/** One connection, when it last received a frame, and when it last heard of the venue at all. */
export class FeedConnection {
  readonly feed = new MarketFeed()
  heardAt: number
  isOpen = false
  hasBeenOpen = false
  receivedAt = 0

  constructor(now: number) {
    this.heardAt = now
  }
}

interface Entry {
  readonly book: FollowedBook
  readonly connection: FeedConnection
  /** Start of the wait for a snapshot. */
  waitingSince: number
  /** The venue has no book for the token; do not request it again before then. */
  absentUntil: number
  /** Invalidates snapshots that are still in flight. */
  generation: number
}

/** A request for a snapshot. Its response is ignored if the generation has changed by then. */
export interface SnapshotRequest {
  readonly token: string
  readonly reason: ResyncReason
  readonly generation: number
}

/** The venue sends a snapshot on subscription; after this wait the shard requests one. */
const snapshotWaitMillis = 1_000
const absentRetryMillis = 10_000

/** State of the books of one shard: their connections, pending resyncs and changes. Performs no I/O. */
export class BookShard {
  readonly #entries = new Map<string, Entry>()
  readonly #connections = new Set<FeedConnection>()
  readonly #resyncs = new Map<string, ResyncReason>()
  #changed = new Set<string>()
  deltas = 0

  get connections(): ReadonlySet<FeedConnection> {
    return this.#connections
  }

  get held(): number {
    let live = 0
    for (const { book } of this.#entries.values()) if (book.isLive) live++
    return live
  }

  book(token: string): FollowedBook | undefined {
    return this.#entries.get(token)?.book
  }

  get tokens(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Follows exactly these tokens. Returns the connections to open and to close, and the tokens no longer followed. */
  follow(requested: ReadonlySet<string>, now: number) {
    const unfollowed = [...this.#entries.keys()].filter((token) => !requested.has(token))
    const fresh = [...requested].filter((token) => !this.#entries.has(token))
    const removed = this.#unfollow(unfollowed)
    const added: Array<FeedConnection> = []
    while (fresh.length > 0) {
      let connection = [...this.#connections].find(({ feed }) => feed.capacity > 0)
      if (connection === undefined) {
        connection = new FeedConnection(now)
        this.#connections.add(connection)
        added.push(connection)
      }
      const part = fresh.splice(0, connection.feed.capacity)
      for (const token of part) {
        const state = { waitingSince: now, absentUntil: 0, generation: 0 }
        this.#entries.set(token, { book: new FollowedBook(), connection, ...state })
      }
      connection.feed.follow(part)
    }
    return { added, removed, unfollowed }
  }

  opened(connection: FeedConnection, now: number): void {
    for (const token of connection.feed.tokens) {
      if (connection.hasBeenOpen) this.#scheduleResync(token, "reconnect")
      const entry = this.#entries.get(token)
      if (entry !== undefined) entry.waitingSince = now
    }
    connection.isOpen = true
    connection.hasBeenOpen = true
    connection.receivedAt = now
    connection.heardAt = now
  }

  heard(connection: FeedConnection, now: number): void {
    connection.heardAt = now
  }

  /**
   * Until when the books that are shown are known to be current: the venue was heard then on every open connection. The books
   * of a closed one are not shown; without an open one, the last time counts.
   */
  heardAt(now: number): number {
    const open = [...this.#connections].filter(({ isOpen }) => isOpen)
    if (open.length > 0) return Math.min(...open.map(({ heardAt }) => heardAt))
    return this.#connections.size === 0 ? now : Math.max(...[...this.#connections].map(({ heardAt }) => heardAt))
  }

  closed(connection: FeedConnection): void {
    connection.isOpen = false
    for (const token of connection.feed.tokens) {
      const entry = this.#entries.get(token)
      if (entry === undefined) continue
      entry.generation++
      entry.book.reset()
      this.#resyncs.delete(token)
      this.#changed.add(token)
    }
  }

  received(connection: FeedConnection, frame: DecodedFrame, now: number): void {
    connection.receivedAt = now
    connection.heardAt = now
    for (const event of frame.events) this.#apply(connection, event, now)
    // The lost message may have been about any token of the connection.
    if (frame.broken.length > 0) for (const token of connection.feed.tokens) this.#scheduleResync(token, "unreadable")
  }

  /** Takes the snapshots to request now, each once. */
  takeRequests(now: number): ReadonlyArray<SnapshotRequest> {
    for (const [token, entry] of this.#entries) {
      const { book, connection, waitingSince, absentUntil } = entry
      if (book.isLive || !connection.isOpen || now < absentUntil || now - waitingSince < snapshotWaitMillis) continue
      if (!this.#resyncs.has(token)) this.#resyncs.set(token, "no-snapshot")
      entry.waitingSince = now
    }
    const requests = [...this.#resyncs].flatMap(([token, reason]) => {
      const entry = this.#entries.get(token)
      return entry?.connection.isOpen ? [{ token, reason, generation: entry.generation }] : []
    })
    this.#resyncs.clear()
    return requests
  }

  /** Handles the venue's response; undefined if it has no book. */
  receiveSnapshot({ token, generation }: SnapshotRequest, snapshot: BookSnapshot | undefined, now: number): void {
    const entry = this.#entries.get(token)
    if (entry === undefined || entry.generation !== generation || entry.book.isLive) return
    if (snapshot === undefined) entry.absentUntil = now + absentRetryMillis
    else this.#applied(token, entry, entry.book.install(snapshot, now))
  }

  /** Schedules requests again that failed. */
  retry(requests: ReadonlyArray<SnapshotRequest>): void {
    for (const { token, reason } of requests) this.#scheduleResync(token, reason)
  }

  /** Compares a book with the venue's. Returns whether it lags behind an earlier audit. */
  audit(shown: BookSnapshot): boolean {
    const book = this.#entries.get(shown.token)?.book
    const reason = book?.audit(shown)
    if (reason !== undefined) this.#scheduleResync(shown.token, reason)
    else if (book?.adoptLastTrade(shown)) this.#changed.add(shown.token)
    return reason === "behind"
  }

  connectionOf(token: string): FeedConnection | undefined {
    return this.#entries.get(token)?.connection
  }

  /** Takes the tokens whose book changed, became uncertain or is no longer followed. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /** Marks tokens as changed, for example because they could not be published. */
  markChanged(tokens: Iterable<string>): void {
    for (const token of tokens) this.#changed.add(token)
  }

  #unfollow(tokens: ReadonlyArray<string>): ReadonlyArray<FeedConnection> {
    for (const connection of this.#connections)
      connection.feed.unfollow(tokens.filter((token) => connection.feed.tokens.has(token)))
    for (const token of tokens) {
      this.#entries.delete(token)
      this.#resyncs.delete(token)
      this.#changed.add(token)
    }
    const removed = [...this.#connections].filter(({ feed }) => feed.tokens.size === 0)
    for (const connection of removed) this.#connections.delete(connection)
    return removed
  }

  #apply(connection: FeedConnection, event: ClobEvent, now: number): void {
    switch (event.kind) {
      case "changes":
        this.#applyChanges(connection, event.at, event.changes, now)
        break
      case "book":
        this.#update(connection, event.book.token, ({ book }) => book.applyBook(event.book, now))
        break
      case "trade":
        this.#update(connection, event.token, ({ book }) => book.applyTrade(event, now))
        break
      case "tick-size":
        this.#update(connection, event.token, ({ book }) => book.applyTickSize(event.tickSize))
        break
      case "resolved":
        for (const token of event.tokens) {
          this.#update(connection, token, (entry) => {
            entry.book.reset()
            entry.absentUntil = now + absentRetryMillis
            return undefined
          })
        }
        break
      // Best prices are also part of the changes; the catalogue handles new markets.
      case "best":
      case "new-market":
        break
    }
  }

  /** A message covers both outcomes of a market; perhaps only one is followed here. */
  #applyChanges(
    connection: FeedConnection,
    at: number | undefined,
    changes: ReadonlyArray<LevelChange>,
    now: number,
  ): void {
    const byToken = new Map<string, Array<LevelChange>>()
    for (const change of changes) {
      const own = byToken.get(change.token)
      if (own === undefined) byToken.set(change.token, [change])
      else own.push(change)
    }
    for (const [token, own] of byToken) {
      this.#update(connection, token, ({ book }) => {
        this.deltas += own.length
        return book.applyChanges(at, own, now)
      })
    }
  }

  /** Updates a book if the message came on its own connection. */
  #update(connection: FeedConnection, token: string, update: (entry: Entry) => ResyncReason | undefined): void {
    const entry = this.#entries.get(token)
    if (entry?.connection === connection) this.#applied(token, entry, update(entry))
  }

  #applied(token: string, { book }: Entry, reason: ResyncReason | undefined): void {
    this.#changed.add(token)
    if (reason !== undefined) this.#scheduleResync(token, reason)
    else if (book.isLive) this.#resyncs.delete(token)
  }

  #scheduleResync(token: string, reason: ResyncReason): void {
    const entry = this.#entries.get(token)
    if (entry === undefined) return
    entry.book.invalidate()
    if (reason === "reconnect" || reason === "unreadable") entry.book.markTradesMissed()
    this.#changed.add(token)
    if (!this.#resyncs.has(token)) this.#resyncs.set(token, reason)
  }
}
