import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { FinePrice } from "#src/domain/amounts.ts"
import { type Coin, coins, feedNumber, sourceNumber, type TickSource, tickId, tickSources } from "#src/domain/Tick.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { keptMillis, type LiveTick } from "./FeedMemory.ts"

/** A range of a feed in milliseconds, both ends exclusive. */
export interface FeedRange {
  readonly source: TickSource
  readonly coin: Coin
  readonly after: number
  readonly before: number
}

/** Feeds have one tick per second: between two that are further apart, one may be missing. */
const maxStepMillis = 1_500

/** Ranges in which ticks may be missing: between the received ones, in order of time, and after each feed's position. */
export const gapsIn = (
  received: ReadonlyArray<LiveTick>,
  positionOf: (source: TickSource, coin: Coin) => number,
): ReadonlyArray<FeedRange> => {
  const lastAt = new Map<string, number>()
  return received.flatMap(({ source, coin, at }) => {
    const feed = `${source} ${coin}`
    const before = lastAt.get(feed) ?? positionOf(source, coin)
    lastAt.set(feed, Math.max(at, before))
    return at - before <= maxStepMillis ? [] : [{ source, coin, after: Math.max(before, at - keptMillis), before: at }]
  })
}

interface Row {
  readonly feed: number
  readonly source: number
  readonly at: bigint
  readonly price: FinePrice
  readonly bid: FinePrice
  readonly ask: FinePrice
}

/** Stored ticks of these ranges, in order of time. */
export const storedTicks = (reads: PgClient.PgClient, ranges: ReadonlyArray<FeedRange>) =>
  Effect.map(
    reads<Row>`
      select t.feed, t.source, t.at, t.price, t.bid, t.ask
      from ${unnest(reads, "part", ranges, {
        feed: ["int2", ({ coin }) => feedNumber(coin)],
        source: ["int2", ({ source }) => sourceNumber(source)],
        after: ["int8", ({ after }) => BigInt(Math.floor(after))],
        before: ["int8", ({ before }) => BigInt(Math.floor(before))],
      })}
      cross join lateral (
        select * from tick
        where tick.feed = part.feed and tick.source = part.source and at > part.after and at < part.before
      ) as t
      order by t.at, t.feed, t.source`,
    (rows) =>
      rows.flatMap(({ feed, source, ...row }): ReadonlyArray<LiveTick> => {
        const [coin, name, at] = [coins[feed], tickSources[source], Number(row.at)]
        if (coin === undefined || name === undefined) return []
        const { price, bid, ask } = row
        return [{ coin, source: name, at, id: tickId(name, { coin, at }), price, bid, ask, isAfterGap: false }]
      }),
  )

export const inOrder = (ticks: ReadonlyArray<LiveTick>): ReadonlyArray<LiveTick> =>
  ticks.toSorted((a, b) => a.at - b.at || feedNumber(a.coin) - feedNumber(b.coin))
