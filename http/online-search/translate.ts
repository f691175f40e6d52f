import type * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { OnlineFindings, OnlineResult, OnlineSearchFailed } from "#src/online-search/model.ts"
import type { OnlineSearch } from "#src/online-search/OnlineSearch.ts"
import { namesIn } from "#src/online-search/settings.ts"
import type { ErrorBody, RefusedAnswer } from "#src/platform/http/errorBody.ts"
import { searxngUrl } from "#src/upstream/settings.ts"
import { BadInput, refusalResponse } from "../server/errors.ts"
import { type OnlineAnswer, type OnlineResult as ShownResult, searched } from "./shapes.ts"

/** The engines to ask, by their names in any case. */
export const enginesOf = (
  given: string | undefined,
  { byDefault, all }: ReturnType<OnlineSearch["Service"]["engines"]>,
): ReadonlyArray<string> | BadInput => {
  if (given === undefined) return byDefault
  const names = namesIn(given)
  const unknown = names.find((name) => !all.includes(name))
  if (unknown === undefined && names.length > 0) return names
  const problem = unknown === undefined ? "names no engine" : `unknown engine ${JSON.stringify(unknown.slice(0, 60))}`
  return new BadInput({
    error: `Parameter "engines": ${problem}. Available: ${all.join(", ")}.`,
    param: "engines",
  })
}

interface Shown {
  readonly query: string
  readonly engines: ReadonlyArray<string>
  readonly maxResults: number
  readonly isCached: boolean
  readonly elapsedMillis: number
}

export const shownResult = ({ publishedAt, ...result }: OnlineResult): typeof ShownResult.Type => ({
  ...result,
  published_at: publishedAt,
})

export const answerJson = (
  { results, answers, suggestions, failures, fetchedAt }: OnlineFindings,
  { query, engines, maxResults, isCached, elapsedMillis }: Shown,
): typeof OnlineAnswer.Type => {
  const shown = results.slice(0, maxResults)
  return {
    query,
    ...searched,
    status: failures.length === 0 ? "ok" : "partial",
    cached: isCached,
    engines_requested: engines,
    unresponsive_engines: failures,
    result_count: shown.length,
    results: shown.map(shownResult),
    answers,
    suggestions,
    fetched_at: new Date(fetchedAt).toISOString(),
    elapsed_ms: Math.max(0, Math.round(elapsedMillis)),
  }
}

const again = "Try again in a few seconds."

const answer = (status: number, body: ErrorBody, headers: Readonly<Record<string, string>> = {}): RefusedAnswer => ({
  status,
  body,
  headers,
})

/** What is answered when nothing could be found out. */
export const failureResponse = (failure: OnlineSearchFailed): HttpServerResponse.HttpServerResponse =>
  refusalResponse(failureAnswer(failure))

export const failureAnswer = ({ kind, engines, retryAfter = 2 }: OnlineSearchFailed): RefusedAnswer => {
  switch (kind) {
    case "unconfigured":
      return answer(503, {
        error: "Web search is not set up on this instance.",
        hint: `Its operator has to set ${searxngUrl.env} to the address of a SearXNG with JSON enabled.`,
      })
    case "refused":
      return answer(503, {
        error: "The SearXNG instance refuses requests of this service.",
        hint: `Its operator has to enable json in search.formats of SearXNG, or to check the password in ${searxngUrl.env}.`,
      })
    case "rate-limited":
      return answer(
        503,
        { error: "The web search takes no more requests for the moment.", hint: `Try again in ${retryAfter} s.` },
        { "retry-after": String(Math.max(1, retryAfter)) },
      )
    case "engines":
      return answer(502, {
        error: "None of the search engines answered.",
        hint: "Try again later, or name other engines.",
        unresponsive_engines: engines ?? [],
      })
    case "down":
      return answer(502, { error: "The web search does not answer.", hint: again })
  }
}
