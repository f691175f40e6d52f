import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { type Coin, coins, feedNumber, sourceNumber, type TickSource, tickId, tickSources } from "#src/domain/Tick.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { LiveTick } from "./FeedMemory.ts"

/** A part of a feed without both its ends, in milliseconds. */
export interface Part {
  readonly source: TickSource
  readonly coin: Coin
  readonly after: number
  readonly before: number
}

interface Row {
  readonly feed: number
  readonly source: number
  readonly at: bigint
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

/** What Postgres has of these parts, in order of time. */
export const storedTicks = (reads: PgClient.PgClient, parts: ReadonlyArray<Part>) => {
  const moments = (of: (part: Part) => number) => pgArray("int8", parts, (part) => BigInt(Math.floor(of(part))))
  const feeds = pgArray("int2", parts, ({ coin }) => feedNumber(coin))
  const sources = pgArray("int2", parts, ({ source }) => sourceNumber(source))
  return Effect.map(
    reads<Row>`
      select t.feed, t.source, t.at, t.price, t.bid, t.ask
      from unnest(${feeds}, ${sources}, ${moments(({ after }) => after)}, ${moments(({ before }) => before)})
        as part (feed, source, after, before)
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
}
