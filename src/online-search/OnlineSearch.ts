import { createHash } from "node:crypto"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { LoadTimeout } from "#src/caching/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { NoEngineAnswered, NoInstance, type SearchFailure, Searxng } from "#src/upstream/searxng/Searxng.ts"
import { searxngUrl } from "#src/upstream/settings.ts"
import { cleanText } from "./cleanText.ts"
import { mergeResults } from "./merge.ts"
import { type OnlineFindings, type OnlineQuery, OnlineSearchFailed } from "./model.ts"
import { withoutCommands } from "./query.ts"
import { defaultEngines, namesIn, optInEngines } from "./settings.ts"

const maxAnswer = 1_000
const maxAnswers = 10

/** An engine that failed may work again soon. */
const partialMillis = 60_000

/** For several instances in turn. */
export const budgetMillis = 20_000

/** A hash, because names of answers are logged. */
const keyOf = ({ text, engines, language, timeRange, safeSearch, cacheSeconds }: OnlineQuery): string =>
  createHash("sha256")
    .update(JSON.stringify([text, engines.toSorted(), language, timeRange ?? "", safeSearch, cacheSeconds]))
    .digest("base64url")

const texts = (list: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(list.map((each) => cleanText(each, maxAnswer)))].filter((each) => each !== "").slice(0, maxAnswers)

/** What the caller may know, without anything that an instance wrote. */
const failureOf = (failure: SearchFailure): OnlineSearchFailed => {
  if (failure instanceof NoInstance) {
    return new OnlineSearchFailed({ kind: "unconfigured", detail: `${searxngUrl.env} is not set` })
  }
  if (failure instanceof NoEngineAnswered) {
    const engines = failure.failures.map(({ engine, reason }) => ({ engine, reason: cleanText(reason, 200) }))
    return new OnlineSearchFailed({ kind: "engines", detail: "no engine answered", engines })
  }
  const { reason, status, retryAfter } = failure
  const detail = `the SearXNG instance: ${reason}${status === undefined ? "" : ` ${status}`}`
  if (reason === "rate-limited") {
    const seconds = retryAfter === undefined ? {} : { retryAfter: Math.ceil(Duration.toSeconds(retryAfter)) }
    return new OnlineSearchFailed({ kind: "rate-limited", detail, ...seconds })
  }
  return new OnlineSearchFailed({ kind: status === 401 || status === 403 ? "refused" : "down", detail })
}

interface Found {
  readonly findings: OnlineFindings
  /** Whether it was fetched before this request. */
  readonly isCached: boolean
}

/** Search of the public web, best effort and cached. */
export class OnlineSearch extends Context.Service<
  OnlineSearch,
  {
    /** Names of the engines that are asked by default, and of those that a request may name. */
    readonly engines: () => { readonly byDefault: ReadonlyArray<string>; readonly all: ReadonlyArray<string> }
    /** Equal searches share one answer for as long as they say, and one call to the upstream. */
    readonly search: (query: OnlineQuery) => Effect.Effect<Found, OnlineSearchFailed>
  }
>()("presage/online-search/OnlineSearch") {
  static readonly layer = Layer.effect(
    OnlineSearch,
    Effect.gen(function* () {
      const config = yield* Configuration
      const cache = yield* AnswerCache
      const searxng = yield* Searxng

      const fetch = Effect.fn("OnlineSearch.fetch")(function* (query: OnlineQuery) {
        const { text, engines, language, timeRange, safeSearch } = query
        const page = yield* Effect.mapError(
          searxng.search({ query: withoutCommands(text), engines, language, timeRange, safeSearch }),
          failureOf,
        )
        const fetchedAt = yield* Clock.currentTimeMillis
        const findings: OnlineFindings = {
          results: mergeResults(page.results),
          answers: texts(page.answers),
          suggestions: texts(page.suggestions),
          failures: page.failures.map(({ engine, reason }) => ({ engine, reason: cleanText(reason, 200) })),
          fetchedAt,
        }
        return { value: findings, ...(findings.failures.length === 0 ? {} : { until: fetchedAt + partialMillis }) }
      })

      return OnlineSearch.of({
        engines: () => {
          const byDefault = namesIn(config.get(defaultEngines))
          return { byDefault, all: [...new Set([...byDefault, ...namesIn(config.get(optInEngines))])] }
        },
        search: Effect.fn("OnlineSearch.search")((query) =>
          cache
            .get({
              name: "online-search",
              key: keyOf(query),
              load: fetch(query),
              freshFor: query.cacheSeconds * 1000,
              staleFor: 0,
              budget: budgetMillis,
            })
            .pipe(
              Effect.map(({ answer, from }) => ({
                findings: JSON.parse(answer.bytes.toString()) as OnlineFindings,
                isCached: from !== "load",
              })),
              Effect.catchIf(
                (failure) => failure instanceof LoadTimeout,
                ({ message }) => Effect.fail(new OnlineSearchFailed({ kind: "down", detail: message })),
              ),
            ),
        ),
      })
    }),
  )
}
