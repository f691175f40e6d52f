import { crc32 } from "node:zlib"
import { assert } from "@effect/vitest"
import { undocumented } from "./frames.ts"
import type { Recorder } from "./recordingSubscriber.ts"

interface Level {
  readonly price: string
  readonly size: string
}

interface Depth {
  readonly type: string
  readonly asset_id: string
  readonly epoch: string
  readonly seq: number
  readonly prev_seq?: number
  readonly checksum: string
  readonly gap?: true
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

export interface ReceivedTrade {
  readonly type: "last_trade_price"
  readonly asset_id: string
  readonly price: string
  readonly size: string
  readonly side: string
  readonly timestamp: string
  readonly transaction_hash: string | null
}

interface Copy {
  epoch: string
  seq: number
  readonly bids: Map<string, string>
  readonly asks: Map<string, string>
}

const checksumOf = ({ bids, asks }: Copy) => {
  let sum = 0
  for (const [price, size] of bids) sum ^= crc32(`bid:${price}:${size}`)
  for (const [price, size] of asks) sum ^= crc32(`ask:${price}:${size}`)
  return (sum >>> 0).toString(16).padStart(8, "0")
}

/** A client written from the documentation alone: applies all updates and verifies every checksum. */
export class BookClient {
  readonly recorder: Recorder
  readonly books = new Map<string, Copy>()
  readonly trades: Array<ReceivedTrade> = []
  readonly stale = new Set<string>()
  readonly counts = { snapshots: 0, updates: 0, gaps: 0, missing: 0 }
  #read = 0

  constructor(recorder: Recorder) {
    this.recorder = recorder
  }

  /** Applies the frames received since the last call. */
  applyAll(): void {
    for (; this.#read < this.recorder.received.length; this.#read++) {
      const frame = this.recorder.received[this.#read] as {
        readonly type: string
        readonly count: number
        readonly gap?: true
        readonly snapshots?: ReadonlyArray<Depth>
        readonly updates?: ReadonlyArray<Depth & ReceivedTrade>
      }
      if (!["subscribed", "updated"].includes(frame.type)) assert.isUndefined(undocumented({ ...frame }))
      if (frame.gap) this.counts.gaps++
      if (frame.snapshots !== undefined) assert.lengthOf(frame.snapshots, frame.count)
      if (frame.updates !== undefined) assert.lengthOf(frame.updates, frame.count)
      for (const snapshot of frame.snapshots ?? []) this.#replace(snapshot)
      for (const update of frame.updates ?? []) this.#apply(update)
    }
  }

  bids(token: string): ReadonlyArray<Level> {
    return sortedLevels(this.books.get(token)?.bids).toReversed()
  }

  asks(token: string): ReadonlyArray<Level> {
    return sortedLevels(this.books.get(token)?.asks)
  }

  #replace({ asset_id, epoch, seq, bids, asks, checksum }: Depth): void {
    const copy: Copy = { epoch, seq, bids: new Map(), asks: new Map() }
    this.books.set(asset_id, copy)
    this.stale.delete(asset_id)
    this.counts.snapshots++
    apply(copy, { bids, asks })
    assert.strictEqual(checksumOf(copy), checksum)
  }

  #apply(update: Depth & ReceivedTrade): void {
    if (update.type === "last_trade_price") this.trades.push(update)
    else if (update.type === "book_stale") this.stale.add(update.asset_id)
    else if (update.type === "book_update") this.#update(update)
  }

  #update(update: Depth): void {
    const copy = this.books.get(update.asset_id)
    this.stale.delete(update.asset_id)
    if (copy === undefined || copy.epoch !== update.epoch || (update.prev_seq ?? 0) > copy.seq) {
      this.counts.missing++
      return
    }
    if (update.gap) this.counts.gaps++
    if (update.seq < copy.seq) return
    this.counts.updates++
    apply(copy, update)
    copy.seq = update.seq
    assert.strictEqual(checksumOf(copy), update.checksum)
  }
}

const apply = (copy: Copy, { bids, asks }: Pick<Depth, "bids" | "asks">) => {
  for (const [side, levels] of [
    [copy.bids, bids],
    [copy.asks, asks],
  ] as const) {
    for (const { price, size } of levels) {
      if (size === "0") side.delete(price)
      else side.set(price, size)
    }
  }
}

const sortedLevels = (side: ReadonlyMap<string, string> = new Map()): ReadonlyArray<Level> =>
  [...side].map(([price, size]) => ({ price, size })).sort((a, b) => Number(a.price) - Number(b.price))
