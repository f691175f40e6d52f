import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { ConditionName, TokenName } from "../Names.ts"

/** Market fields of almost every payload; null if unknown. */
export interface Enriched {
  readonly market_title: string | null
  readonly market_slug: string | null
  readonly market_image: string | null
  readonly event_title: string | null
  readonly event_slug: string | null
  readonly condition_id: string | null
  readonly outcome: string | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly token_ids: ReadonlyArray<string> | null
  readonly tokens: Readonly<Record<string, string>> | null
  readonly neg_risk: boolean | null
  readonly tick_size: number | null
  readonly taker_base_fee: number | null
}

export const unlisted: Enriched = {
  market_title: null,
  market_slug: null,
  market_image: null,
  event_title: null,
  event_slug: null,
  condition_id: null,
  outcome: null,
  outcomes: null,
  token_ids: null,
  tokens: null,
  neg_risk: null,
  tick_size: null,
  taker_base_fee: null,
}

/** Cached for as long as the token info itself. */
const cache = new WeakMap<TokenInfo, Enriched>()

const fromInfo = (info: TokenInfo): Enriched => {
  const cached = cache.get(info)
  if (cached !== undefined) return cached
  const ids = info.tokens.map(tokenOfHex)
  const enriched: Enriched = {
    market_title: info.title,
    market_slug: info.slug,
    market_image: info.image,
    event_title: info.eventTitle,
    event_slug: info.eventSlug,
    condition_id: `0x${info.condition}`,
    outcome: info.outcome,
    outcomes: info.outcomes,
    token_ids: ids,
    tokens: Object.fromEntries(ids.map((id, index) => [id, info.outcomes[index] ?? ""])),
    neg_risk: info.negRisk,
    tick_size: info.tickSize === null ? null : exactAmount(info.tickSize),
    taker_base_fee: info.takerBaseFee,
  }
  cache.set(info, enriched)
  return enriched
}

export const enrichedToken = ({ condition, info }: TokenName): Enriched =>
  info === undefined ? { ...unlisted, condition_id: condition } : fromInfo(info)

/** Fields of a condition, for all outcomes together. */
export const enrichedCondition = ({ id, tokens, info }: ConditionName): Enriched => {
  if (info !== undefined) return { ...fromInfo(info), condition_id: id, outcome: null }
  const ids = tokens.map((token) => token.id)
  return { ...unlisted, condition_id: id, token_ids: ids.length === 0 ? null : ids }
}
