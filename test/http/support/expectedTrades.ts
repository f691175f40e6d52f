import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Order } from "#http/trades/list/shapes.ts"
import { exchangeAddress } from "#src/dictionary/exchangeCodes.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { expectedTrades as rolledUpTrades } from "#test/rollups/support/expectedTrades.ts"
import { allFacts, type FillFact, type RefundFact } from "#test/webhooks/support/world/facts.ts"

export type Row = typeof Order.Type
export interface Expected extends FillFact {
  /** In the unit of the fee, less what was refunded. */
  readonly kept: bigint
  readonly condition: string | undefined
  readonly slug: string | undefined
  readonly eventSlug: string | undefined
}

const halfUp = (numerator: bigint, denominator: bigint) => (2n * numerator + denominator) / (2n * denominator)

/** Every fill of the ledger, newest first, with its market in the venue. */
export const expectedTrades = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql } = yield* Postgres
  const { fills, refunds } = yield* allFacts(simulation.head)
  const markets = yield* sql<{ token: string; condition: string; slug: string | null; event_slug: string | null }>`
    select encode(t.hash, 'hex') as token, '0x' || encode(c.hash, 'hex') as condition, m.slug, e.slug as event_slug
    from token t join condition c on c.id = t.condition
    left join market m on m.condition = c.id left join event e on e.id = m.event`
  const byToken = new Map(markets.map((row) => [BigInt(`0x${row.token}`).toString(), row]))
  const refundOf = (fill: FillFact) =>
    refunds.reduce(
      (sum: bigint, refund: RefundFact) =>
        refund.tx === fill.tx && refund.wallet === fill.maker && refund.token === fill.token
          ? sum + refund.amount
          : sum,
      0n,
    )
  return fills
    .map((fill): Expected => {
      const fee = fill.fee === 0n ? 0n : fill.fee - refundOf(fill)
      const market = byToken.get(fill.token)
      return {
        ...fill,
        kept: fee,
        condition: market?.condition,
        slug: market?.slug ?? undefined,
        eventSlug: market?.event_slug ?? undefined,
      }
    })
    .toReversed()
})

/** The trades of each token, by the fills that stand for them. */
export const tradesOfTokens = (all: ReadonlyArray<Expected>): ReadonlyArray<Expected> => {
  const trades = new Map(rolledUpTrades(all).map((trade) => [`${trade.block} ${trade.logIndex}`, trade]))
  return all.flatMap((fill) => {
    const trade = trades.get(`${fill.block} ${fill.log_index}`)
    return trade === undefined ? [] : [{ ...fill, shares: trade.shares, usd: trade.usd }]
  })
}

const feeOf = ({ kept, fee_in_shares, shares, usd }: Expected) => (fee_in_shares ? halfUp(kept * usd, shares) : kept)

export const lineOf = (row: Row) =>
  [
    row.id,
    row.maker,
    row.taker,
    row.token_id,
    row.side,
    row.role,
    row.size,
    row.amount_usd,
    row.fee,
    row.timestamp,
    row.builder,
    row.slug,
    row.event_slug,
  ].join()

export const expectedLine = (fill: Expected) =>
  [
    `${fill.tx}_${fill.log_index}`,
    fill.maker,
    fill.taker ?? "exchange",
    fill.token,
    fill.side,
    fill.taker === null ? "taker" : "maker",
    exactAmount(fill.shares),
    exactAmount(fill.usd),
    exactAmount(feeOf(fill)),
    Math.floor(fill.at.getTime() / 1000),
    fill.builder ?? `0x${"0".repeat(64)}`,
    fill.slug ?? null,
    fill.eventSlug ?? null,
  ].join()

const exchanges = [0, 1, 2, 3, 4, 5].map(exchangeAddress)
export const withoutExchange = (row: Row): Row => (exchanges.includes(row.taker) ? { ...row, taker: "exchange" } : row)

/** A filter drawn at random: the path, and which fills it lists. */
export const drawFilter = (dice: Dice, all: ReadonlyArray<Expected>) => {
  const some = all[dice.between(0, all.length - 1)] ?? assert.fail("there are no trades")
  const parameters: Array<string> = []
  const tests: Array<(fill: Expected) => boolean> = []
  const add = (text: string, test: (fill: Expected) => boolean) => {
    parameters.push(text)
    tests.push(test)
  }
  const [wallet, isOfOrder, isOfBuilder] = [dice.chance(0.5), dice.chance(0.1), dice.chance(0.15)]
  const isOfToken = dice.chance(0.3)
  if (isOfToken) add(`token_id=${some.token}`, ({ token }) => token === some.token)
  if (dice.chance(0.2)) add(`condition_id=${some.condition}`, ({ condition }) => condition === some.condition)
  if (some.slug !== undefined && dice.chance(0.2)) add(`market_slug=${some.slug}`, ({ slug }) => slug === some.slug)
  if (some.eventSlug !== undefined && dice.chance(0.2))
    add(`event_slug=${some.eventSlug}`, ({ eventSlug }) => eventSlug === some.eventSlug)
  if (isOfOrder) add(`order_hash=${some.order_hash}`, ({ order_hash }) => order_hash === some.order_hash)
  if (isOfBuilder && some.builder !== null) add(`builder=${some.builder}`, ({ builder }) => builder === some.builder)
  if (dice.chance(0.3)) add(`side=${some.side === 0 ? "BUY" : "sell"}`, ({ side }) => side === some.side)
  if (wallet && dice.chance(0.3))
    add(`role=${some.taker === null ? "taker" : "maker"}`, ({ taker }) => (taker === null) === (some.taker === null))
  if (dice.chance(0.3)) add(`min_amount_usd=${exactAmount(some.usd)}`, ({ usd }) => usd >= some.usd)
  if (dice.chance(0.2)) add(`min_amount=${exactAmount(some.shares)}`, ({ shares }) => shares >= some.shares)
  const second = (fill: FillFact) => Math.floor(fill.at.getTime() / 1000)
  if (dice.chance(0.3)) add(`after=${second(some)}`, (fill) => second(fill) >= second(some))
  else if (dice.chance(0.4)) add(`before=${second(some)}`, (fill) => second(fill) < second(some))
  const isOnce = !wallet && !isOfOrder && !(isOfBuilder && some.builder !== null)
  if (wallet) tests.push(({ maker }) => maker === some.maker)
  if (isOnce && !isOfToken) tests.push(({ taker }) => taker !== null)
  const isAscending = dice.chance(0.3)
  if (isAscending) parameters.push("order=asc")
  const path = wallet ? `/v3/wallets/${some.maker}/trades` : "/v3/trades"
  const listed = isOnce && isOfToken ? tradesOfTokens(all) : all
  const newestFirst = listed.filter((fill) => tests.every((test) => test(fill)))
  const found = isAscending ? newestFirst.toReversed() : newestFirst
  const sort = dice.chance(0.3) ? (dice.chance(0.5) ? "size" : "amount_usd") : undefined
  if (sort === undefined) return { path: `${path}?${parameters.join("&")}`, found }
  const value = ({ shares, usd }: Expected) => Number(sort === "size" ? shares : usd)
  const sorted = found.toSorted((a, b) => (isAscending ? value(a) - value(b) : value(b) - value(a)))
  return { path: `${path}?${[...parameters, `sort_by=${sort}`].join("&")}`, found: sorted }
}
