import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import type { ConditionName, TokenName } from "#src/feed/Names.ts"
import type { PlaceRow } from "#src/feed/rows.ts"

/** What is said of its market with almost everything; null where it is not known. */
export const marketOfToken = ({ condition, info }: TokenName) => ({
  market: info?.title ?? null,
  slug: info?.slug ?? null,
  outcome: info?.outcome ?? null,
  condition_id: condition,
})

/** About all outcomes together. */
export const marketOfCondition = ({ id, info }: ConditionName) => ({
  market: info?.title ?? null,
  slug: info?.slug ?? null,
  outcome: null,
  condition_id: id,
})

export const eventOf = (info: TokenInfo | undefined) => ({ event_slug: info?.eventSlug ?? null })

export const placeOnChain = ({ tx, block, log_index }: PlaceRow) => ({
  transaction_hash: `0x${tx}`,
  block_number: block,
  log_index,
})

export const timestampOf = ({ at }: PlaceRow) => String(secondsOf(at))
