import type { TokenInfo } from "#src/catalogue/Enrichment.ts"
import type { ConditionName, Names, TokenName } from "#src/feed/Names.ts"

const hex = (digit: string) => digit.repeat(64)

const infoOf = (outcomeIndex: number): TokenInfo => ({
  token: outcomeIndex === 0 ? "1".padStart(64, "0") : "2".padStart(64, "0"),
  condition: hex("c"),
  outcomeIndex,
  outcome: outcomeIndex === 0 ? "Yes" : "No",
  outcomes: ["Yes", "No"],
  tokens: ["1".padStart(64, "0"), "2".padStart(64, "0")],
  marketId: 9,
  title: "Will it rain?",
  slug: "will-it-rain",
  image: null,
  negRisk: false,
  tickSize: 10_000,
  takerBaseFee: 200,
  eventId: 4,
  eventSlug: "rain",
  eventTitle: "Rain",
  category: null,
  tags: [],
})

const token = (outcomeIndex: number): TokenName => ({
  id: String(outcomeIndex + 1),
  hex: String(outcomeIndex + 1).padStart(64, "0"),
  condition: `0x${hex("c")}`,
  outcomeIndex,
  info: infoOf(outcomeIndex),
})

const condition: ConditionName = { id: `0x${hex("c")}`, tokens: [token(0), token(1)], info: infoOf(0) }
const unknown: TokenName = { id: "3", hex: "3".padStart(64, "0"), condition: null, outcomeIndex: null, info: undefined }

/** One market with tokens 1 and 2, an unlisted token 3, and wallets by their id. */
export const names: Names = {
  wallet: (number) => `0x${String(number).padStart(40, "0")}`,
  token: (number) => (number === 3 ? unknown : token(number - 1)),
  condition: () => condition,
  combo: () => undefined,
}

export const walletOf = names.wallet

/** Market fields of every payload. */
export const market = {
  market_title: "Will it rain?",
  market_slug: "will-it-rain",
  market_image: null,
  event_title: "Rain",
  event_slug: "rain",
  condition_id: `0x${hex("c")}`,
  outcome: "Yes",
  outcomes: ["Yes", "No"],
  token_ids: ["1", "2"],
  tokens: { "1": "Yes", "2": "No" },
  neg_risk: false,
  tick_size: 0.01,
  taker_base_fee: 200,
}
