import { exactAmount } from "#src/domain/amounts.ts"
import { fromNullable } from "#src/feed/EventRenderer.ts"
import { type Facets, noFacets } from "#src/feed/filters/Facets.ts"
import type { ConditionName, Names } from "#src/feed/Names.ts"
import { resolutionOf } from "#src/feed/payloads/resolution.ts"
import type { ConversionRow, PairRow, RedemptionRow } from "#src/feed/rows.ts"
import type { ConversionData, PairData, RedemptionData } from "../../payloadSchemas.ts"
import { listingOf } from "../facets.ts"
import { chainFields, eventOf, marketOfCondition, marketOfToken, outcomeOf, timestampOf } from "../payloadFields.ts"
import { asActivity, type FactRendering, factRenderer, stateless } from "../stateless.ts"

export const pairData = (row: PairRow, names: Names): PairData => {
  const condition = names.condition(row.condition)
  return {
    wallet: names.wallet(row.wallet),
    ...marketOfCondition(condition),
    ...eventOf(condition.info),
    amount: exactAmount(row.amount),
    ...chainFields(row),
    timestamp: timestampOf(row),
  }
}

/** The redeemed outcome if all shares are of one outcome, else the winning one. */
const redeemedOutcome = (redeemed: RedemptionData["redeemed"], winner: string | null): string | null => {
  const held = redeemed.filter(({ shares }) => shares > 0)
  return held.length === 1 ? (held[0]?.outcome ?? null) : winner
}

export const redemptionData = (row: RedemptionRow, names: Names): RedemptionData => {
  const condition = names.condition(row.condition)
  const redeemed = row.tokens.map((id, index) => {
    const token = names.token(id)
    return { token_id: token.id, outcome: outcomeOf(token), shares: exactAmount(row.shares[index] ?? 0n) }
  })
  return {
    wallet: names.wallet(row.wallet),
    ...marketOfCondition(condition),
    outcome: redeemedOutcome(redeemed, resolutionOf(row.payouts, condition).outcome),
    ...eventOf(condition.info),
    payout_usd: exactAmount(row.payout),
    redeemed,
    ...chainFields(row),
    timestamp: timestampOf(row),
  }
}

export const conversionData = (row: ConversionRow, names: Names): ConversionData => {
  const given = row.nos.map(names.token)
  return {
    wallet: names.wallet(row.wallet),
    market_id: row.neg_risk_market === null ? null : `0x${row.neg_risk_market}`,
    market: null,
    slug: null,
    outcome: null,
    condition_id: null,
    ...eventOf(given[0]?.info),
    amount: exactAmount(row.amount),
    converted: given.map((token) => ({ token_id: token.id, ...marketOfToken(token) })),
    ...chainFields(row),
    timestamp: timestampOf(row),
  }
}

const conditionFacets = ({ id, tokens, info }: ConditionName, wallet: string): Facets => ({
  ...noFacets,
  wallets: [wallet],
  tokens: tokens.map((token) => token.id),
  conditions: [id],
  ...listingOf(info),
})

const pairRendering: FactRendering<PairRow> = {
  mention: ({ wallet, condition }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
  },
  facets: ({ wallet, condition }, names) => conditionFacets(names.condition(condition), names.wallet(wallet)),
  data: pairData,
}

const redemptionRendering: FactRendering<RedemptionRow> = {
  mention: ({ wallet, condition, tokens }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
    for (const token of tokens) mentions.tokens.add(token)
  },
  facets: ({ wallet, condition }, names) => conditionFacets(names.condition(condition), names.wallet(wallet)),
  data: redemptionData,
}

const conversionRendering: FactRendering<ConversionRow> = {
  mention: ({ wallet, nos, yeses }, mentions) => {
    mentions.wallets.add(wallet)
    for (const token of [...nos, ...yeses]) mentions.tokens.add(token)
  },
  facets: ({ wallet, nos, yeses }, names) => {
    const tokens = [...nos, ...yeses].map(names.token)
    return {
      ...noFacets,
      wallets: [names.wallet(wallet)],
      tokens: tokens.map(({ id }) => id),
      conditions: [...new Set(tokens.flatMap(({ condition }) => fromNullable(condition)))],
      // All tokens belong to one event.
      ...listingOf(tokens.find(({ info }) => info !== undefined)?.info),
    }
  },
  data: conversionData,
}

export const activityPollers = [
  stateless("split", { split: factRenderer("split", pairRendering) }),
  stateless("merge", { merge: factRenderer("merge", pairRendering) }),
  stateless("redemption", { redemption: factRenderer("redemption", redemptionRendering) }),
  stateless("neg_risk_conversion", { conversion: factRenderer("conversion", conversionRendering) }),
  // Trades are delivered sooner, by a poller of their own.
  stateless("wallet_activity", {
    split: factRenderer("split", asActivity("split", pairRendering)),
    merge: factRenderer("merge", asActivity("merge", pairRendering)),
    redemption: factRenderer("redemption", asActivity("redemption", redemptionRendering)),
    conversion: factRenderer("conversion", asActivity("neg_risk_conversion", conversionRendering)),
  }),
]
