import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import type { ConditionName, TokenName } from "#src/feed/Names.ts"
import type { FactRow } from "#src/feed/rows.ts"

/** Market fields of a token; null if unknown. */
export const marketOfToken = ({ condition, info }: TokenName) => ({
  market: info?.title ?? null,
  slug: info?.slug ?? null,
  outcome: info?.outcome ?? null,
  condition_id: condition,
})

/** Market fields of a condition, for all outcomes together. */
export const marketOfCondition = ({ id, info }: ConditionName) => ({
  market: info?.title ?? null,
  slug: info?.slug ?? null,
  outcome: null,
  condition_id: id,
})

export const eventOf = (info: TokenInfo | undefined) => ({ event_slug: info?.eventSlug ?? null })

export const chainFields = ({ tx, block, log_index }: FactRow) => ({
  transaction_hash: `0x${tx}`,
  block_number: block,
  log_index,
})

export const timestampOf = ({ at }: FactRow) => String(secondsOf(at))
