import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { ConditionName, TokenName } from "./Names.ts"

/** What is said about the market of almost everything; null where it is not known. */
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

/** Names are kept as long as somebody uses them, and so is what is made of them. */
const made = new WeakMap<TokenInfo, Enriched>()

const fromInfo = (info: TokenInfo): Enriched => {
  const there = made.get(info)
  if (there !== undefined) return there
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
    tokens: Object.fromEntries(ids.map((id, place) => [id, info.outcomes[place] ?? ""])),
    neg_risk: info.negRisk,
    tick_size: info.tickSize === null ? null : exactAmount(info.tickSize),
    taker_base_fee: info.takerBaseFee,
  }
  made.set(info, enriched)
  return enriched
}

export const enrichedToken = ({ condition, info }: TokenName): Enriched =>
  info === undefined ? { ...unlisted, condition_id: condition } : fromInfo(info)

/** About all outcomes together. */
export const enrichedCondition = ({ id, tokens, info }: ConditionName): Enriched => {
  if (info !== undefined) return { ...fromInfo(info), condition_id: id, outcome: null }
  const ids = tokens.map((token) => token.id)
  return { ...unlisted, condition_id: id, token_ids: ids.length === 0 ? null : ids }
}
