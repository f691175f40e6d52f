import { Effect } from "effect"
import { type Coin, feedNumber, sourceNumber, spotSources, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TickQuery } from "#src/ticks/segments/TickSegments.ts"
import { type ReceivedTick, TickStore } from "#src/ticks/TickStore.ts"
import { quoteOf } from "#test/support/quoteOf.ts"

/** A midnight, so that tests span two days. */
export const midnight = 1_794_700_800_000

export const tickAt = (coin: Coin, at: number, price: bigint): ReceivedTick => ({
  coin,
  at,
  ...quoteOf(price, price - 1_000_000n, price + 150n),
  receivedAt: at + 20,
})

/** Prices with varying numbers of decimals. */
export const priceAt = (at: number): bigint =>
  BigInt(9_712_000_000_000 + ((at * 7919) % 100_000_007)) * 10n ** BigInt(at % 3)

/** Stores ticks as the follower of a source does. */
export const store = (source: TickSource, ticks: ReadonlyArray<ReceivedTick>) =>
  Effect.gen(function* () {
    const lease = yield* (yield* Leases).seize(`ticks/${source}`)
    const each = 5_000
    for (let from = 0; from < ticks.length; from += each) {
      yield* (yield* TickStore).record(lease, source, { ticks: ticks.slice(from, from + each), settled: [] })
    }
  })

/** One tick per second, `from` inclusive, `to` exclusive, without the seconds that `isMissing`. */
export const seconds = (coin: Coin, from: number, to: number, isMissing: (second: number) => boolean = () => false) =>
  Array.from({ length: (to - from) / 1000 }, (_, i) => from + i * 1000)
    .filter((at) => !isMissing(at / 1000))
    .map((at) => tickAt(coin, at, priceAt(at)))

const decimal = (units: bigint) => {
  const digits = String(units).padStart(9, "0")
  const fraction = digits.slice(-8).replace(/0+$/, "")
  return `${digits.slice(0, -8)}${fraction === "" ? "" : "."}${fraction}`
}

interface Row {
  readonly source: number
  readonly at: bigint
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

const encoded = (coin: Coin, { source, at, price, bid, ask }: Row) => {
  const feed = `${coin}/USD`
  const sequence = feedNumber(coin) * 8 + source
  const timestamp = at / 1000n
  const data = `{"feed":"${feed}","price":${decimal(price)},"bid":${decimal(bid)},"ask":${decimal(ask)},"timestamp":${timestamp}}`
  const name = tickSources[source]
  const kind = name === "platform_twap60" ? `"is_twap":true,"twap_window_seconds":60,` : ""
  return `{"id":"${at}-${sequence}","type":"price_feed","feed":"${feed}","timestamp":${timestamp},"timestamp_ms":${at},"source":"${name}",${kind}"data":${data}}`
}

/** Expected JSON of each tick, from a plain query and an independent encoder. */
export const plainQuery = ({ coin, source, from, to, limit }: TickQuery) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const sources = source === undefined ? spotSources : [source]
    const rows = yield* sql<Row>`
      select source, at, price, bid, ask from tick
      where feed = ${feedNumber(coin)} and ${sql.in("source", sources.map(sourceNumber))}
        and at >= ${BigInt(from)} and at < ${BigInt(to)}
      order by at, source limit ${limit}`
    return rows.map((row) => encoded(coin, row))
  })
