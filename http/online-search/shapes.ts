import { Schema } from "effect"
import { maxQueryLength, normalizedQuery, withoutCommands } from "#src/online-search/query.ts"
import { parameter } from "../input/parameter.ts"
import { shown } from "../input/wrongInput.ts"
import { BadInput } from "../server/errors.ts"

/** The query, without what SearXNG would take for a command of its own. */
const query = parameter((text): string | BadInput => {
  const normalized = normalizedQuery(text)
  const length = [...normalized].length
  if (length > maxQueryLength || withoutCommands(normalized) === "") {
    const problem = length > maxQueryLength ? `got ${length}` : `got ${shown(text)}`
    return new BadInput({
      error: `Parameter "q": expected a query of 1 to ${maxQueryLength} visible characters, ${problem}.`,
      param: "q",
    })
  }
  return normalized
}).annotate({ description: `what to search for, 1 to ${maxQueryLength} characters` })

const language = Schema.String.check(
  Schema.makeFilter((text) => /^(all|auto|[a-z]{2,3}(-[A-Z]{2})?)$/.test(text), {
    message: "Expected a language such as en, en-US or de, or all, or auto",
  }),
)

const between = (minimum: number, maximum: number, description: string) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }))

export const onlineQuery = {
  q: query,
  max_results: between(1, 20, "maximum results, 1 to 20; 10 by default"),
  engines: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(500)).annotate({
      description: "engines to ask, separated by commas; by default those of the setting online-search.engines",
    }),
  ),
  language: Schema.optionalKey(
    language.annotate({ description: "language of the results, such as `de` or `en-US`; en-US by default" }),
  ),
  time_range: Schema.optionalKey(
    Schema.Literals(["day", "week", "month", "year"]).annotate({
      description: "only pages of the last day, week, month or year; all by default",
    }),
  ),
  safe_search: Schema.optionalKey(
    Schema.Literals(["0", "1", "2"]).annotate({ description: "0 off, 1 moderate, 2 strict; 0 by default" }),
  ),
  cache_ttl_seconds: between(1, 3600, "how old a cached answer may be, 1 to 3600 seconds; 600 by default"),
}

const UnresponsiveEngines = Schema.Array(Schema.Struct({ engine: Schema.String, reason: Schema.String }))

export const OnlineResult = Schema.Struct({
  title: Schema.String,
  url: Schema.String.annotate({ description: "http or https, without tracking parameters" }),
  domain: Schema.String,
  snippet: Schema.String.annotate({ description: "Plain text" }),
  engines: Schema.Array(Schema.String).annotate({ description: "Engines that found the page" }),
  score: Schema.Finite.annotate({ description: "Higher for pages that several engines found near the top" }),
  category: Schema.String,
  published_at: Schema.NullOr(Schema.String).annotate({ description: "ISO 8601; null if unknown" }),
}).annotate({ identifier: "OnlineResult" })

/** What answered. */
export const searched = { source: "search_online", adapter: "searxng" } as const
export const searchedFields = {
  source: Schema.Literal(searched.source),
  adapter: Schema.Literal(searched.adapter),
}

export const OnlineAnswer = Schema.Struct({
  query: Schema.String,
  ...searchedFields,
  status: Schema.Literals(["ok", "partial"]).annotate({
    description: "partial: some engines failed while others answered",
  }),
  cached: Schema.Boolean.annotate({ description: "Whether it was fetched before this request" }),
  engines_requested: Schema.Array(Schema.String),
  unresponsive_engines: UnresponsiveEngines,
  result_count: Schema.Int,
  results: Schema.Array(OnlineResult).annotate({ description: "Each page once, best first" }),
  answers: Schema.Array(Schema.String).annotate({ description: "Direct answers of engines" }),
  suggestions: Schema.Array(Schema.String).annotate({ description: "Similar queries" }),
  fetched_at: Schema.String.annotate({ description: "When the engines were asked, ISO 8601" }),
  elapsed_ms: Schema.Int.annotate({ description: "Duration of this request" }),
}).annotate({ identifier: "OnlineAnswer" })

/** The engines, or the instances, did not answer. */
export class SearchFailed extends Schema.Error<SearchFailed>("SearchFailed")(
  {
    error: Schema.String,
    hint: Schema.optionalKey(Schema.String),
    unresponsive_engines: Schema.optionalKey(UnresponsiveEngines),
  },
  { httpApiStatus: 502, description: "The web search does not answer, or none of its engines does" },
) {}
