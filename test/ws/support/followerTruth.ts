import { Effect } from "effect"
import { coins, feedName, sourceNumber, type TickSource, tickId } from "#src/domain/Tick.ts"
import { Feed } from "#src/feed/Feed.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EventStream, eventStreams } from "#src/streams/protocol/types.ts"
import type { FollowedBook } from "./followerBooks.ts"
import type { EventFollowing } from "./followerEvents.ts"

export interface AskedStream {
  readonly type: EventStream
  readonly filters?: { readonly wallets: ReadonlyArray<string> }
}

/** Whether somebody with these subscriptions is to hear of it. */
export const ofStreams =
  (asked: ReadonlyArray<AskedStream>) =>
  ({ type, facets }: FeedMessage): boolean =>
    type === "reorg" ||
    asked.some((stream) => {
      const types: ReadonlyArray<string> = eventStreams[stream.type]
      if (!types.includes(type) || (type === "fill" && facets.status !== "confirmed")) return false
      const wallets = stream.filters?.wallets
      return wallets === undefined ? !facets.onlyForWallet : facets.wallets.some((wallet) => wallets.includes(wallet))
    })

/** What of a fact never changes, whatever becomes known about its market. */
const lasting = [
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
  // A settlement is told as it stands.
  const fields = type === "settlement" || type === "status_update" ? ["tx_hash"] : lasting
  return `${seq} ${type} ${JSON.stringify(fields.map((name) => data[name]))}`
}

const shown = 5

/** In words, where two lists of lines differ; empty where they do not. */
const difference = (has: Iterable<string>, should: Iterable<string>): string => {
  const [had, wanted] = [new Set(has), new Set(should)]
  const missing = [...wanted].filter((line) => !had.has(line))
  const wrong = [...had].filter((line) => !wanted.has(line))
  if (missing.length + wrong.length === 0) return ""
  const some = (lines: ReadonlyArray<string>) => `${lines.length} (${lines.slice(0, shown).join("; ")})`
  return `of ${wanted.size} missing ${some(missing)}, wrong ${some(wrong)}`
}

const pageLength = 2_000

/** Where what a client knows differs from what the log says of the same time. */
export const differenceToLog = (
  { known, from = 0 }: Pick<EventFollowing, "known" | "from">,
  isTold: (message: FeedMessage) => boolean,
) =>
  Effect.gen(function* () {
    const feed = yield* Feed
    const should: Array<string> = []
    for (let after = from; ; ) {
      const page = yield* feed.read({ after, limit: pageLength })
      for (const { messages } of page)
        for (const message of messages)
          if (isTold(message)) should.push(lineOf(message.seq, message.type, message.data))
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
 * Where the ticks of a client differ from those in Postgres between its first and its last. One that came from the
 * source's history after newer ones had been told may be missing: a stream does not go back.
 */
export const differenceOfTicks = (ids: ReadonlyMap<string, ReadonlyArray<string>>, source: TickSource) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const differences: Array<string> = []
    for (const [place, coin] of coins.entries()) {
      const has = ids.get(feedName(coin))
      const [first, last] = [has?.[0], has?.at(-1)]
      if (has === undefined || first === undefined || last === undefined) continue
      const rows = yield* sql<{ at: bigint; is_late: boolean | null }>`
        select at, received_at > min(received_at) over (
            order by at rows between 1 following and unbounded following
          ) as is_late
        from tick where feed = ${place} and source = ${sourceNumber(source)}
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

/** Where the books of a client differ from what the venue shows. */
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

/** Those who traded most so far. */
export const busiestWallets = (count: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ address: string }>`
      select '0x' || encode(w.address, 'hex') as address
      from fill f join wallet w on w.id = f.maker
      group by w.id, w.address order by count(*) desc, w.id limit ${count}`
    return rows.map(({ address }) => address)
  })
