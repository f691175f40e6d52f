import { unlessNull } from "#src/feed/EventRenderer.ts"
import type { ConditionName } from "#src/feed/Names.ts"
import type { ConversionRow, PairRow, RedemptionRow } from "#src/feed/rows.ts"
import { conversionData, pairData, redemptionData } from "../../payloads/positions.ts"
import type { Facets } from "../model.ts"
import { listingOf, noFacets } from "./facets.ts"
import { asActivity, type FactWords, factTeller, stateless } from "./stateless.ts"

const conditionFacets = ({ id, tokens, info }: ConditionName, wallet: string): Facets => ({
  ...noFacets,
  wallets: [wallet],
  tokens: tokens.map((token) => token.id),
  conditions: [id],
  ...listingOf(info),
})

const pairWords: FactWords<PairRow> = {
  mention: ({ wallet, condition }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
  },
  facets: ({ wallet, condition }, names) => conditionFacets(names.condition(condition), names.wallet(wallet)),
  data: pairData,
}

const redemptionWords: FactWords<RedemptionRow> = {
  mention: ({ wallet, condition, tokens }, mentions) => {
    mentions.wallets.add(wallet)
    mentions.conditions.add(condition)
    for (const token of tokens) mentions.tokens.add(token)
  },
  facets: ({ wallet, condition }, names) => conditionFacets(names.condition(condition), names.wallet(wallet)),
  data: redemptionData,
}

const conversionWords: FactWords<ConversionRow> = {
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
      conditions: [...new Set(tokens.flatMap(({ condition }) => unlessNull(condition)))],
      // They are all of one event.
      ...listingOf(tokens.find(({ info }) => info !== undefined)?.info),
    }
  },
  data: conversionData,
}

export const positionPollers = [
  stateless("split", { split: factTeller("split", pairWords) }),
  stateless("merge", { merge: factTeller("merge", pairWords) }),
  stateless("redemption", { redemption: factTeller("redemption", redemptionWords) }),
  stateless("neg_risk_conversion", { conversion: factTeller("conversion", conversionWords) }),
  // Trades come sooner, by a poller of their own.
  stateless("wallet_activity", {
    split: factTeller("split", asActivity("split", pairWords)),
    merge: factTeller("merge", asActivity("merge", pairWords)),
    redemption: factTeller("redemption", asActivity("redemption", redemptionWords)),
    conversion: factTeller("conversion", asActivity("neg_risk_conversion", conversionWords)),
  }),
]
