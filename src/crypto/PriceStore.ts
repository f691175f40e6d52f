import { Effect } from "effect"
import type { FinePrice } from "#src/domain/amounts.ts"
import { type Coin, feedNumber, sourceNumber, spotSources, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { candleSeconds, type SourceCandle } from "./candlesOf.ts"
import { coinNames } from "./coinNames.ts"
import { type Bounds, type Interval, intervalFacts } from "./intervals.ts"
import type { PriceAtMoment, Reading } from "./priceAt.ts"

interface ReadingRow {
  readonly source: number
  readonly sum: bigint | null
  readonly count: number
  readonly last: FinePrice
  readonly last_at: bigint
}

interface SpanRow {
  readonly start: bigint
  readonly open: FinePrice
  readonly high: FinePrice
  readonly low: FinePrice
  readonly close: FinePrice
  readonly last_at: bigint
}

/** Window terms of a market. */
export interface WindowMarket {
  readonly priceToBeat: FinePrice | null
  readonly finalPrice: FinePrice | null
  /** Seconds whose mean decides; null when the market does not specify it. */
  readonly meanOf: number | null
  readonly resolvedAt: number | null
}

interface WindowRow {
  readonly price_to_beat: FinePrice | null
  readonly final_price: FinePrice | null
  readonly price_twap_seconds: number | null
  readonly resolved_at: Date | null
}

const candleMillis = candleSeconds * 1000

/** Queries for prices and the markets that they decide. */
export const priceStore = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const sources = pgArray("int2", spotSources, (source) => sourceNumber(source))

  return {
    /** Newest spot price of every source before `to`, with the sum of its ticks from `meanFrom` on; ordered by source. */
    readings: (coin: Coin, meanFrom: number, to: number) =>
      Effect.map(
        reads<ReadingRow>`
          select s.source, recent.sum, recent.count, newest.price as last, newest.at as last_at
          from unnest(${sources}) s(source)
          cross join lateral (
            select sum(price)::int8 as sum, count(*)::int4 as count from tick
            where feed = ${feedNumber(coin)} and source = s.source and at >= ${BigInt(meanFrom)} and at < ${BigInt(to)}
          ) recent
          cross join lateral (
            select price, at from tick
            where feed = ${feedNumber(coin)} and source = s.source and at < ${BigInt(to)}
            order by at desc limit 1
          ) newest
          order by s.source`,
        (rows) =>
          rows.flatMap(({ source, sum, count, last, last_at }): ReadonlyArray<Reading> => {
            const name = tickSources[source]
            return name === undefined ? [] : [{ source: name, sum: sum ?? 0n, count, last, lastAt: Number(last_at) }]
          }),
      ),

    /** The platform's own average over 60 seconds: the newest from `from` to `to`, both inclusive. */
    average: (coin: Coin, from: number, to: number) =>
      Effect.map(
        reads<{ readonly price: FinePrice; readonly at: bigint }>`
          select price, at from tick
          where feed = ${feedNumber(coin)} and source = ${sourceNumber("platform_twap60")}
            and at >= ${BigInt(from)} and at <= ${BigInt(to)}
          order by at desc limit 1`,
        ([row]): PriceAtMoment | undefined => row && { price: row.price, at: Number(row.at) },
      ),

    /**
     * Ticks of a source aggregated by candle; `from` and `to` are multiples of five minutes. Each candle repeats the bounds
     * of the whole range, so that the planner prunes the other days.
     */
    spans: (source: TickSource, coin: Coin, from: number, to: number) => {
      const within = reads`feed = ${feedNumber(coin)} and source = ${sourceNumber(source)}
        and at >= ${BigInt(from * 1000)} and at < ${BigInt(to * 1000)}
        and at >= candle.start and at < candle.start + ${BigInt(candleMillis)}`
      return Effect.map(
        reads<SpanRow>`
          select candle.start, first.price as open, extremes.high, extremes.low, last.price as close, last.at as last_at
          from generate_series(${BigInt(from * 1000)}, ${BigInt(to * 1000 - 1)}, ${BigInt(candleMillis)}) candle(start)
          cross join lateral (select price from tick where ${within} order by at limit 1) first
          cross join lateral (select price, at from tick where ${within} order by at desc limit 1) last
          cross join lateral (select max(price) as high, min(price) as low from tick where ${within}) extremes`,
        (rows) =>
          rows.map(
            ({ start, open, high, low, close, last_at }): SourceCandle => ({
              time: Number(start) / 1000,
              open,
              high,
              low,
              close,
              lastAt: Number(last_at),
            }),
          ),
      )
    },

    /** Market of a window, if the catalogue has one. */
    market: (coin: Coin, interval: Interval, { start, end }: Bounds) =>
      Effect.map(
        reads<WindowRow>`
          select e.price_to_beat, e.final_price, m.price_twap_seconds, m.resolved_at
          from series s
          join event e on e.series = s.id and e.ends_at = ${new Date(end * 1000)}
          join market m on m.event = e.id
          where s.recurrence = any(${pgArray("text", intervalFacts[interval].recurrences)})
            and s.slug like '%-up-or-down-%' and split_part(s.slug, '-', 1) = any(${pgArray("text", coinNames(coin))})
            and coalesce(m.opens_at, e.opens_at) = ${new Date(start * 1000)}
          order by e.id desc limit 1`,
        ([row]): WindowMarket | undefined =>
          row && {
            priceToBeat: row.price_to_beat,
            finalPrice: row.final_price,
            meanOf: row.price_twap_seconds,
            resolvedAt: row.resolved_at?.getTime() ?? null,
          },
      ),
  }
})
