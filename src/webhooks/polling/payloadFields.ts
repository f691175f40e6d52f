import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import { comboOutcome, comboTitle } from "#src/feed/combos/comboNames.ts"
import type { ConditionName, TokenName } from "#src/feed/Names.ts"
import type { FactRow } from "#src/feed/rows.ts"

/** The market's question, or the legs of a combo. */
const titleOf = ({ info, combo }: Pick<TokenName, "info" | "combo">) =>
  info?.title ?? (combo === undefined ? null : comboTitle(combo))

export const outcomeOf = ({ info, combo, outcomeIndex }: TokenName) =>
  info?.outcome ?? (combo === undefined ? null : comboOutcome(outcomeIndex))

/** Market fields of a token; null if unknown. */
export const marketOfToken = (token: TokenName) => ({
  market: titleOf(token),
  slug: token.info?.slug ?? null,
  outcome: outcomeOf(token),
  condition_id: token.condition,
})

/** Market fields of a condition, for all outcomes together. */
export const marketOfCondition = (condition: ConditionName) => ({
  market: titleOf(condition),
  slug: condition.info?.slug ?? null,
  outcome: null,
  condition_id: condition.id,
})

export const eventOf = (info: TokenInfo | undefined) => ({ event_slug: info?.eventSlug ?? null })

export const chainFields = ({ tx, block, log_index }: FactRow) => ({
  transaction_hash: `0x${tx}`,
  block_number: block,
  log_index,
})

export const timestampOf = ({ at }: FactRow) => String(secondsOf(at))
