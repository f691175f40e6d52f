import { Schema } from "effect"
import { querySets } from "#src/sports/contextQueries.ts"
import { gameSorts, gameStatuses } from "#src/sports/EventStore.ts"
import { historyIntervals, mostPoints } from "#src/sports/historyWindow.ts"
import { contextParameters } from "../context/parameters.ts"
import { clampedLimit, limitOf, offsetOf } from "../input/page.ts"
import { visibleText } from "../input/visibleText.ts"
import { secondParameter } from "../v3/parameters.ts"

export const limits = {
  games: { default: 50, max: 500 },
  teams: { default: 500, max: 1_000 },
  series: { default: 500, max: 1_000 },
  search: { default: 20, max: 100 },
  priceTokens: { default: 100, max: 500 },
  stateTokens: { default: 20, max: 200 },
  historyTokens: { default: 20, max: 20 },
} as const

const optional = Schema.optionalKey
const flag = (description: string) => optional(Schema.Literals(["true", "false"]).annotate({ description }))

export const leagueInPath = {
  league: visibleText("a league").annotate({ description: "code of a league, such as `nba`, in any case" }),
}
export const slugInPath = { slug: visibleText("a slug").annotate({ description: "slug of the game's event" }) }

const Id = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))
export const eventInPath = { event_id: Id.annotate({ description: "the venue's id of an event" }) }
export const marketInPath = { market_id: Id.annotate({ description: "the venue's id of a market" }) }
export const seriesInPath = { id: Id.annotate({ description: "id of a series" }) }

export const teamsQuery = { limit: limitOf("teams", limits.teams), offset: offsetOf("teams") }

export const gamesQuery = {
  status: optional(
    Schema.Literals(gameStatuses).annotate({
      description:
        "`active` (open for trading, the default), `scheduled`, `live`, `ended`, `postponed`, `cancelled`, `closed` or `all`",
    }),
  ),
  sort: optional(
    Schema.Literals(gameSorts).annotate({
      description: "`startDate` (when it was listed, the default), `startTime` (when it starts), or another field",
    }),
  ),
  direction: optional(Schema.Literals(["desc", "asc"]).annotate({ description: "`desc` by default" })),
  limit: limitOf("games", limits.games),
  offset: offsetOf("games"),
}

const historyFields = {
  interval: optional(
    Schema.Literals(historyIntervals).annotate({
      description: "`max` (since the game was listed, the default), `1w` or `1d`, up to `end_ts` or now",
    }),
  ),
  start_ts: secondParameter("start_ts", "first time; not together with `interval`"),
  end_ts: secondParameter("end_ts", "last time; now by default"),
  fidelity: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_080 })).annotate({
      description: `minutes between two points; chosen by the length by default. At most ${mostPoints} points are given: a finer one is made coarser`,
    }),
  ),
}

export const historyQuery = { limit_tokens: clampedLimit("tokens", limits.historyTokens), ...historyFields }

export const pricesQuery = { limit_tokens: clampedLimit("tokens", limits.priceTokens) }

export const stateQuery = {
  price_limit_tokens: clampedLimit("tokens with prices", limits.stateTokens),
  include_history: flag("`true` adds the price history of the tokens"),
  history_limit_tokens: clampedLimit("tokens with a history", limits.historyTokens),
  ...historyFields,
}

export const contextQuery = {
  query_set: optional(Schema.Literals(querySets).annotate({ description: "`default` by default" })),
  ...contextParameters("the answer of `/state`"),
}

export const searchQuery = {
  q: visibleText("a query").annotate({
    description:
      "words of a title, a team with its aliases and abbreviations, or a league; the last one may be unfinished",
  }),
  limit: limitOf("results", limits.search),
}

export const seriesQuery = {
  status: optional(Schema.Literals(["active", "closed", "all"]).annotate({ description: "`active` by default" })),
  limit: limitOf("series", limits.series),
  offset: offsetOf("series"),
}
