import type { Usdc } from "#src/domain/amounts.ts"
import { isCombo, isComposed } from "#src/domain/comboIds.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { comboOutcome } from "#src/feed/combos/comboNames.ts"
import type { List } from "./listSql.ts"
import { marketColumns, marketJoins, redeemedOutcomesSql } from "./marketSql.ts"
import type { ListedMarket, ListedRedemption } from "./model.ts"

interface Row extends ListedMarket {
  readonly payout: Usdc<bigint>
  readonly redeemed: ReadonlyArray<number> | null
  readonly event_title: string | null
  readonly event_slug: string | null
  readonly neg_risk: boolean | null
  readonly of_condition: ReadonlyArray<string> | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolved_at: Date | null
}

const columns = `
  f.payout, ${redeemedOutcomesSql} as redeemed, ${marketColumns}, e.title as event_title, e.slug as event_slug, m.neg_risk,
  m.outcomes, r.payouts, r.at as resolved_at,
  (select array_agg(encode(o.hash, 'hex') order by o.outcome) from token o where o.condition = f.of_condition) as of_condition`

const joins = `
  ${marketJoins("f.of_condition")}
  left join resolution r on r.condition = f.of_condition`

/** Combos have outcomes, but no market. */
const outcomesOf = ({ outcomes, condition, of_condition: tokens }: Row) =>
  outcomes === null && condition !== null && isCombo(condition.slice(2))
    ? (tokens ?? []).map((_, outcome) => comboOutcome(outcome) ?? "")
    : outcomes

/** Redemptions with their markets and resolutions. */
export const redemptions: List<Row, ListedRedemption> = {
  sources: [
    {
      table: "redemption",
      kind: 0,
      owner: "wallet",
      columns: "f.condition as of_condition, f.tokens, f.payout",
    },
  ],
  columns,
  joins,
  read: (row, listed) => ({
    ...listed,
    condition: row.condition,
    title: row.title,
    slug: row.slug,
    image: row.image,
    payout: row.payout,
    isOfModule: row.condition !== null && isComposed(row.condition.slice(2)),
    redeemed: row.redeemed ?? [],
    eventTitle: row.event_title,
    eventSlug: row.event_slug,
    negRisk: row.neg_risk,
    tokens: (row.of_condition ?? []).map(tokenOfHex),
    outcomes: outcomesOf(row),
    payouts: row.payouts,
    resolvedAt: row.resolved_at,
  }),
}
