import { Effect } from "effect"
import { coins, feedName, sourceNumber, type TickSource, tickId } from "#src/domain/Tick.ts"
import { Feed } from "#src/feed/Feed.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EventStream, eventStreams } from "#src/streams/protocol/streamTypes.ts"
import type { FollowedBook } from "./bookCopy.ts"
import type { EventCopy } from "./eventCopy.ts"

export interface SubscribedStream {
  readonly type: EventStream
  readonly filters?: { readonly wallets: ReadonlyArray<string> }
}

/** Whether these subscriptions include a message. */
export const expectsMessage =
  (streams: ReadonlyArray<SubscribedStream>) =>
  ({ type, facets }: FeedMessage): boolean =>
    type === "reorg" ||
    streams.some((stream) => {
      const types: ReadonlyArray<string> = eventStreams[stream.type]
      if (!types.includes(type) || (type === "fill" && facets.status !== "confirmed")) return false
      const wallets = stream.filters?.wallets
      return wallets === undefined ? !facets.onlyForWallet : facets.wallets.some((wallet) => wallets.includes(wallet))
    })

/** Fields that never change, whatever becomes known about the market. */
const stableFields = [
  "tx_hash",
  "log_index",
  "block_number",
  "user",
  "maker",
  "side",
  "price",
  "shares",
  "size",
  "retracted",
]

const lineOf = (seq: number, type: string, data: Readonly<Record<string, unknown>>) => {
  // A settlement is rendered with its current status.
  const fields = type === "settlement" || type === "status_update" ? ["tx_hash"] : stableFields
  return `${seq} ${type} ${JSON.stringify(fields.map((name) => data[name]))}`
}

const maxShown = 5

/** Describes how two lists of lines differ; empty if they do not. */
const difference = (has: Iterable<string>, should: Iterable<string>): string => {
  const [had, expected] = [new Set(has), new Set(should)]
  const missing = [...expected].filter((line) => !had.has(line))
  const wrong = [...had].filter((line) => !expected.has(line))
  if (missing.length + wrong.length === 0) return ""
  const some = (lines: ReadonlyArray<string>) => `${lines.length} (${lines.slice(0, maxShown).join("; ")})`
  return `of ${expected.size} missing ${some(missing)}, wrong ${some(wrong)}`
}

const pageLength = 2_000

/** Compares a client's events with the log over the same range. */
export const differenceToLog = (
  { known, from = 0 }: Pick<EventCopy, "known" | "from">,
  isExpected: (message: FeedMessage) => boolean,
) =>
  Effect.gen(function* () {
    const feed = yield* Feed
    const should: Array<string> = []
    for (let after = from; ; ) {
      const page = yield* feed.read({ after, limit: pageLength })
      for (const { messages } of page)
        for (const message of messages)
          if (isExpected(message)) should.push(lineOf(message.seq, message.type, message.data))
      const last = page.at(-1)
      if (last === undefined) break
      after = last.seq
    }
    const has = [...known].flatMap(([seq, those]) =>
      seq <= from ? [] : [...those.values()].map(({ type, data }) => lineOf(seq, type, data)),
    )
    return difference(has, should)
  })

/**
 * Compares a client's ticks with Postgres between its first and last tick. Ticks backfilled after newer ones were
 * published may be missing: a stream does not go back.
 */
export const differenceOfTicks = (ids: ReadonlyMap<string, ReadonlyArray<string>>, source: TickSource) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const differences: Array<string> = []
    for (const [feed, coin] of coins.entries()) {
      const has = ids.get(feedName(coin))
      const [first, last] = [has?.[0], has?.at(-1)]
      if (has === undefined || first === undefined || last === undefined) continue
      const rows = yield* sql<{ at: bigint; is_late: boolean | null }>`
        select at, received_at > min(received_at) over (
            order by at rows between 1 following and unbounded following
          ) as is_late
        from tick where feed = ${feed} and source = ${sourceNumber(source)}
          and at between ${BigInt(Number.parseInt(first, 10))} and ${BigInt(Number.parseInt(last, 10))}`
      const had = new Set(has)
      const should = rows
        .map(({ at, is_late }) => ({ id: tickId(source, { coin, at: Number(at) }), isLate: is_late === true }))
        .filter(({ id, isLate }) => !isLate || had.has(id))
      const found = difference(
        had,
        should.map(({ id }) => id),
      )
      if (found !== "") differences.push(`${coin}: ${found}`)
    }
    return differences.join(", ")
  })

interface ShownBook {
  readonly asset_id: string
  readonly bids: ReadonlyArray<{ readonly price: string; readonly size: string }>
  readonly asks: ReadonlyArray<{ readonly price: string; readonly size: string }>
}

const levelLine = (token: string, side: string, price: string, size: string) =>
  `${token} ${side} ${Number(price)} × ${Number(size)}`

/** Compares a client's books with the venue's. */
export const differenceOfBooks = (
  venue: string,
  tokens: ReadonlyArray<string>,
  books: ReadonlyMap<string, FollowedBook>,
) =>
  Effect.promise(async () => {
    const body = JSON.stringify(tokens.map((token_id) => ({ token_id })))
    const headers = { "content-type": "application/json" }
    const answer = await fetch(`${venue}/clob/books`, { method: "POST", headers, body })
    const shownBooks = (await answer.json()) as ReadonlyArray<ShownBook>
    const should = shownBooks.flatMap(({ asset_id, ...sides }) =>
      (["bids", "asks"] as const).flatMap((side) =>
        sides[side].map(({ price, size }) => levelLine(asset_id, side, price, size)),
      ),
    )
    const has = [...books].flatMap(([token, book]) =>
      (["bids", "asks"] as const).flatMap((side) =>
        [...book[side]].map(([price, size]) => levelLine(token, side, price, size)),
      ),
    )
    return difference(has, should)
  })

/** The wallets with the most fills so far. */
export const busiestWallets = (count: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ address: string }>`
      select '0x' || encode(w.address, 'hex') as address
      from fill f join wallet w on w.id = f.maker
      group by w.id, w.address order by count(*) desc, w.id limit ${count}`
    return rows.map(({ address }) => address)
  })
