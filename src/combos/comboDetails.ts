import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Enrichment } from "#src/catalogue/Enrichment.ts"
import { halfUp, type Price, price } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { comboLoader, type Leg } from "#src/feed/combos/Combos.ts"
import { comboTitle } from "#src/feed/combos/comboNames.ts"
import { winnerOf } from "#src/feed/payloads/resolution.ts"
import { lastTradeSql, listedSql } from "#src/ledger/positions/price.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { legStatus, readPayouts } from "#src/positions/list/comboLegs.ts"
import type { LegMarket, ListedCombo, ListedLeg } from "./model.ts"

interface TokenState {
  readonly id: number
  readonly token: string
  readonly last_trade: Price | null
  readonly listed: Price | null
  readonly active: boolean | null
  readonly closed: boolean | null
  readonly accepting_orders: boolean | null
}

/** The newest prices of tokens, and the state of their markets. */
const readTokens = (sql: SqlClient, ids: Iterable<number>) =>
  Effect.map(
    sql<TokenState>`
      select t.id, encode(t.hash, 'hex') as token,
        case when t.payout is null then ${sql.literal(lastTradeSql("t"))} end as last_trade,
        case when t.payout is null then ${sql.literal(listedSql("t"))} end as listed,
        m.active, m.closed, m.accepting_orders
      from token t
      left join lateral (
        select m.active, m.closed, m.accepting_orders from market m
        where m.condition = t.condition order by m.id desc limit 1) m on true
      where t.id = any(${pgArray("int4", ids)})`,
    (rows) => new Map(rows.map((row) => [row.id, row])),
  )

/** What a share of an outcome pays. */
const payoutOf = (payouts: ReadonlyArray<bigint>, outcome: number): Price => {
  const all = payouts.reduce((sum, part) => sum + part, 0n)
  return price(all === 0n ? 0 : Number(halfUp(1_000_000n * (payouts[outcome] ?? 0n), all)))
}

const priceOf = (
  payouts: ReadonlyArray<bigint> | undefined,
  outcome: number,
  state: TokenState | undefined,
): Pick<ListedLeg, "price" | "priceSource"> => {
  if (payouts !== undefined) return { price: payoutOf(payouts, outcome), priceSource: "settlement" }
  if (state?.last_trade != null) return { price: state.last_trade, priceSource: "last_fill" }
  return state?.listed == null
    ? { price: null, priceSource: null }
    : { price: state.listed, priceSource: "v1_condition" }
}

const marketOf = ({ info }: Leg, state: TokenState | undefined): LegMarket | null =>
  info === undefined
    ? null
    : {
        title: info.title,
        slug: info.slug,
        image: info.image,
        eventTitle: info.eventTitle,
        eventSlug: info.eventSlug,
        isActive: state?.active ?? false,
        isClosed: state?.closed ?? false,
        acceptsOrders: state?.accepting_orders ?? false,
      }

/** Loads combos with the results, prices and markets of their legs, by condition with 0x. */
export const comboDetails = (sql: SqlClient, enrichment: Enrichment["Service"]) => {
  const load = comboLoader(sql, enrichment)
  return Effect.fnUntraced(function* (conditions: Iterable<string>) {
    const combos = yield* load(new Set([...conditions].map((condition) => condition.slice(2))))
    const legs = [...combos.values()].flatMap((combo) => combo.legs)
    if (legs.length === 0) return new Map<string, ListedCombo>()
    const [payouts, tokens] = yield* Effect.all(
      [
        readPayouts(sql, new Set(legs.map(({ condition }) => condition))),
        readTokens(sql, new Set(legs.flatMap(({ token }) => token ?? []))),
      ],
      { concurrency: "unbounded" },
    )
    const legOf = (leg: Leg): ListedLeg => {
      const result = payouts.get(leg.condition)
      const state = leg.token === undefined ? undefined : tokens.get(leg.token)
      return {
        position: leg.id,
        condition: leg.condition,
        outcomeIndex: leg.outcomeIndex,
        outcome: leg.info?.outcome ?? null,
        token: state === undefined ? null : tokenOfHex(state.token),
        status: legStatus(leg, result),
        winner: winnerOf(result ?? null),
        ...priceOf(result, leg.outcomeIndex, state),
        market: marketOf(leg, state),
      }
    }
    return new Map(
      [...combos.values()].map((combo): [string, ListedCombo] => {
        const { condition, yes, no } = combo
        return [condition, { condition, yes, no, title: comboTitle(combo), legs: combo.legs.map(legOf) }]
      }),
    )
  })
}
