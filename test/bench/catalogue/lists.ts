import { builderSorts } from "#src/builders/model.ts"
import { resolutionNames } from "#src/candles/model.ts"
import { marketSorts } from "#src/market-stats/select.ts"
import type { CatalogueChoice } from "../support/catalogue.ts"

/** A list or an answer that clients request, and the longest that its p99 may be, in milliseconds. */
export interface Request {
  readonly name: string
  readonly paths: (choice: CatalogueChoice) => ReadonlyArray<string>
  readonly most: number
  /** Whether the rival has it. */
  readonly hasRival?: boolean
  /** Whether answers are cached: every request is then for another answer, with the same rows. */
  readonly isCached?: boolean
}

const [ofList, ofSearch, ofCandles, ofOthers] = [20, 30, 15, 25]

const each =
  (part: "tokens" | "conditions" | "slugs" | "events" | "tags" | "builders" | "comboHolders", path: string) =>
  (choice: CatalogueChoice) =>
    choice[part].map((name) => path.replace("{}", encodeURIComponent(name)))

/** Only the last hour: a request that has too many fills is refused. */
const ofBuilderAndTag: Request["paths"] = ({ builders, tags, newest }) =>
  builders.map((code) => `/v3/builders/${code}/trades?tag_slug=${tags[0]}&after=${newest - 3_600}`)

const cached = (name: string, paths: Request["paths"]): Request => ({ name, paths, most: ofList, isCached: true })

export const requests: ReadonlyArray<Request> = [
  { name: "markets, again within ten seconds", paths: () => ["/v3/markets"], most: ofList },
  { ...cached("markets", () => ["/v3/markets"]), hasRival: true },
  cached("  by every sort", () => marketSorts.map((sort) => `/v3/markets?sort=${sort}`)),
  cached("  open, with liquidity", () => ["/v3/markets?status=open&min_liquidity=1000"]),
  cached("  of a tag", each("tags", "/v3/markets?tag={}")),
  cached("  of an event", each("events", "/v3/markets?event={}")),
  cached("figures of markets", () => ["/v3/markets/stats"]),
  cached("events", () => ["/v3/events", "/v3/events?status=open&sort=volume_24h"]),
  cached("figures of events", () => ["/v3/events/stats"]),
  { name: "tags", paths: () => ["/v3/tags"], most: ofList },
  { name: "  markets of a tag", paths: each("tags", "/v3/tags/{}"), most: ofList },
  { name: "resolutions", paths: () => ["/v3/resolutions"], most: ofList },
  { name: "open interest", paths: () => ["/v3/oi"], most: ofList },
  { name: "holders of a condition", paths: each("conditions", "/v3/markets/condition/{}/holders"), most: ofList },
  { name: "a market by its condition", paths: each("conditions", "/v3/markets/condition/{}"), most: ofList },
  { name: "a condition", paths: each("conditions", "/v3/conditions/{}"), most: ofList },
  { name: "a token", paths: each("tokens", "/v3/tokens/{}"), most: ofList },
  { name: "  its price", paths: each("tokens", "/v3/markets/{}/price"), most: ofList },
  {
    name: "search",
    paths: ({ searches }) => searches.map((words) => `/v3/markets/search?q=${encodeURIComponent(words)}`),
    most: ofSearch,
    hasRival: true,
  },
  ...resolutionNames.map((resolution) => ({
    name: `500 candles of ${resolution}`,
    paths: ({ tokens, newest }: CatalogueChoice) =>
      tokens.map(
        (token) => `/v3/markets/${token}/candles?resolution=${resolution}&limit=500&gap_fill=true&anchor_ts=${newest}`,
      ),
    most: ofCandles,
    hasRival: ["1m", "1h", "1d"].includes(resolution),
  })),
  { name: "builders", paths: () => builderSorts.map((sort) => `/v3/builders?sort=${sort}`), most: ofOthers },
  { name: "  one", paths: each("builders", "/v3/builders/{}"), most: ofOthers },
  { name: "  its trades", paths: each("builders", "/v3/builders/{}/trades"), most: ofOthers },
  { name: "  its days", paths: each("builders", "/v3/builders/{}/activity/daily"), most: ofOthers },
  { name: "  its trades of a tag", paths: ofBuilderAndTag, most: ofOthers },
  { name: "  its leaderboard", paths: each("builders", "/v3/builders/{}/leaderboard"), most: ofOthers },
  {
    name: "  by results of a week",
    paths: each("builders", "/v3/builders/{}/leaderboard?period=7d&sort=realized_pnl"),
    most: ofOthers,
  },
  { name: "  days of all", paths: () => ["/v3/builders/activity/daily"], most: ofOthers },
  { name: "combos", paths: () => ["/v3/combos/markets", "/v3/combos/markets?status=open"], most: ofOthers },
  { name: "  activity", paths: () => ["/v3/combos/activity"], most: ofOthers },
  { name: "  redemptions", paths: () => ["/v3/combos/redemptions"], most: ofOthers },
  { name: "  leaderboard", paths: () => ["/v3/combos/leaderboard"], most: ofOthers },
  ...["positions", "trades", "activity", "redemptions", "summary"].map((list) => ({
    name: `  ${list} of a wallet`,
    paths: each("comboHolders", `/v3/wallets/{}/combos/${list}`),
    most: ofOthers,
  })),
]
