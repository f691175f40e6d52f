import { crc32 } from "node:zlib"
import type { Received, StreamCopy } from "./resumingClient.ts"

interface Level {
  readonly price: string
  readonly size: string
}

interface BookMessage extends Received {
  readonly asset_id: string
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  readonly epoch: string
  readonly prev_seq: number
  readonly seq: number
  readonly checksum: string
}

/** A client's copy of a book: sizes by price, as decimal text. */
export interface FollowedBook {
  readonly bids: Map<string, string>
  readonly asks: Map<string, string>
  epoch: string
  seq: number
}

const hashOf = (side: string, levels: ReadonlyMap<string, string>) => {
  let hash = 0
  for (const [price, size] of levels) hash ^= crc32(`${side}:${price}:${size}`)
  return hash
}

const checksumOf = ({ bids, asks }: FollowedBook) =>
  ((hashOf("bid", bids) ^ hashOf("ask", asks)) >>> 0).toString(16).padStart(8, "0")

const change = (levels: Map<string, string>, changed: ReadonlyArray<Level>) => {
  for (const { price, size } of changed) {
    if (Number(size) === 0) levels.delete(price)
    else levels.set(price, size)
  }
}

/** Follows order books by snapshots and changes, verifies checksums and resyncs after a mismatch. */
export class BookCopy implements StreamCopy {
  readonly books = new Map<string, FollowedBook>()
  readonly faults: Array<string> = []
  resyncs = 0
  updates = 0
  readonly #tokens: ReadonlyArray<string>
  #isDone = false

  constructor(tokens: ReadonlyArray<string>) {
    this.#tokens = tokens
  }

  requests(): ReadonlyArray<object> {
    this.#isDone = false
    this.books.clear()
    return [{ action: "subscribe", type: "orderbook", token_ids: this.#tokens }]
  }

  receive(message: Received): ReadonlyArray<object> {
    if (message.type === "snapshots_done") this.#isDone = true
    else if (message.type === "snapshot_batch") {
      for (const book of message["snapshots"] as ReadonlyArray<BookMessage>) this.#replace(book)
    } else if (message.type === "batch") {
      const updates = (message["updates"] as ReadonlyArray<BookMessage>).filter(({ type }) => type === "book_update")
      return updates.flatMap((update) => this.#apply(update))
    }
    return []
  }

  isCaughtUp(): boolean {
    return this.#isDone
  }

  #replace({ asset_id, epoch, seq, checksum, bids, asks }: BookMessage): void {
    const levels = (some: ReadonlyArray<Level>) => new Map(some.map(({ price, size }) => [price, size]))
    const book = { epoch, seq, bids: levels(bids), asks: levels(asks) }
    this.books.set(asset_id, book)
    if (checksumOf(book) !== checksum) this.faults.push(`snapshot ${seq} of ${asset_id} has a wrong checksum`)
  }

  #apply(update: BookMessage): ReadonlyArray<object> {
    const { asset_id, epoch, prev_seq, seq, checksum } = update
    const book = this.books.get(asset_id)
    if (book === undefined) return []
    if (epoch === book.epoch && seq <= book.seq) return []
    if (epoch !== book.epoch || prev_seq > book.seq) return this.#resync(asset_id)
    this.updates++
    change(book.bids, update.bids)
    change(book.asks, update.asks)
    book.seq = seq
    if (checksumOf(book) === checksum) return []
    this.faults.push(`wrong checksum after ${seq} of ${asset_id}`)
    return this.#resync(asset_id)
  }

  /** Nothing is applied to the book before its new snapshot. */
  #resync(token: string): ReadonlyArray<object> {
    this.resyncs++
    this.books.delete(token)
    return [{ action: "resync", token_ids: [token] }]
  }
}
