import { Result } from "effect"
import { quotaExceeded, type Refusal } from "#src/access/refusals.ts"
import type { Bundle } from "#src/context/ContextBundle.ts"
import { listOnce } from "#src/context/listOnce.ts"
import {
  type ContextSource,
  type ContextStatus,
  type GeneratedQuery,
  type QueryFailure,
  statusOfFailure,
  statusOfSource,
} from "#src/context/model.ts"
import { canonicalUrl } from "#src/online-search/canonicalUrl.ts"
import type { OnlineFindings } from "#src/online-search/model.ts"
import type { ErrorBody } from "#src/platform/http/errorBody.ts"
import { searched } from "../online-search/shapes.ts"
import { failureAnswer as onlineFailure, shownResult } from "../online-search/translate.ts"
import { failureAnswer as socialFailure } from "../social/translate.ts"

interface Problem {
  readonly error?: string
  readonly hint?: string
}

const problemOf = ({ error, hint }: ErrorBody): Problem => (typeof hint === "string" ? { error, hint } : { error })

const planText = (source: ContextSource) => `The source ${source} requires a paid plan.`
const planHint = "Use a paid plan, or sources=online, which any key may ask."

const explain = (failure: QueryFailure, source: ContextSource, now: number): Problem => {
  switch (failure._tag) {
    case "SocialFailed":
      return failure.kind === "query"
        ? {
            error: "The network does not accept this query.",
            hint: "Use another query_set, or search with words of your own.",
          }
        : problemOf(socialFailure(failure, now).body)
    case "OnlineSearchFailed":
      return problemOf(onlineFailure(failure).body)
    case "QuotaExceeded":
      return {
        error: failure.message,
        hint: "Ask with sources=online, with fewer max_queries, or on a plan with more social units.",
      }
    case "QuotaUnavailable":
      return { error: "The social units of the account cannot be counted.", hint: "Try again in a few seconds." }
    case "TooLate":
      return { error: `No answer within ${failure.seconds} s.`, hint: "Try again in a few seconds." }
    case "Refusal":
      return failure.reason === "plan" ? { error: planText(source), hint: planHint } : problemOf(failure.body)
  }
}

interface ShownQuery<Row> extends Problem {
  readonly id: string
  readonly query: string
  readonly status: ContextStatus
  readonly result_count: number
  readonly results: ReadonlyArray<Row>
  readonly fetched_at?: string
}

interface Answered<Row> extends Problem {
  readonly status: ContextStatus
  readonly rows: ReadonlyArray<Row>
  readonly fetchedAt?: number
}

const shownSource = <Row>(
  texts: ReadonlyArray<readonly [id: string, query: string]>,
  answers: ReadonlyArray<Answered<Row>>,
  keyOf: (row: Row) => string,
  most: number,
) => {
  const listed = listOnce(
    answers.map(({ rows }) => rows),
    keyOf,
    most,
  )
  const queries = texts.map(([id, query], i): ShownQuery<Row> => {
    const { status = "failed", rows: _, fetchedAt, ...problem } = answers[i] ?? { rows: [] }
    const results = listed[i] ?? []
    const fetched = fetchedAt === undefined ? {} : { fetched_at: new Date(fetchedAt).toISOString() }
    return { id, query, status, result_count: results.length, results, ...fetched, ...problem }
  })
  const status = statusOfSource(queries.map((query) => query.status))
  const first = queries.find((query) => query.status !== "ok")
  const problem = first === undefined ? {} : problemOf({ error: first.error ?? "", hint: first.hint })
  return {
    status,
    result_count: queries.reduce((sum, { result_count }) => sum + result_count, 0),
    queries,
    ...problem,
  }
}

const failed = (failure: QueryFailure, source: ContextSource, now: number) => ({
  status: statusOfFailure(failure),
  rows: [],
  ...explain(failure, source, now),
})

const engineProblem = ({ failures }: OnlineFindings): Problem & { readonly status: ContextStatus } =>
  failures.length === 0
    ? { status: "ok" }
    : {
        status: "partial",
        error: `Some search engines did not answer: ${failures.map(({ engine }) => engine).join(", ")}.`,
        hint: "Try again in a minute to get their results too.",
      }

/** The sources of a bundle, with at most `most` results of each query. */
export const shownSources = (
  queries: ReadonlyArray<GeneratedQuery>,
  sources: ReadonlyArray<ContextSource>,
  { social, online }: Bundle<unknown>,
  most: number,
  now: number,
) => {
  const shown = {
    social: () =>
      shownSource(
        queries.map((query) => [query.id, query.social]),
        (social ?? []).map((answer) =>
          Result.isSuccess(answer)
            ? { status: "ok", rows: answer.success.posts, fetchedAt: answer.success.fetchedAt }
            : failed(answer.failure, "social", now),
        ),
        ({ id }) => id,
        most,
      ),
    online: () => ({
      ...searched,
      ...shownSource(
        queries.map((query) => [query.id, query.query]),
        (online ?? []).map((answer) =>
          Result.isSuccess(answer)
            ? {
                ...engineProblem(answer.success),
                rows: answer.success.results.map(shownResult),
                fetchedAt: answer.success.fetchedAt,
              }
            : failed(answer.failure, "online", now),
        ),
        ({ url }) => canonicalUrl(url)?.key ?? url,
        most,
      ),
    }),
  }
  return Object.fromEntries(sources.map((source) => [source, shown[source]()]))
}

/** The answer if access rules refuse every source: as the endpoint of that source answers. */
export const refusalOf = ({ social, online }: Bundle<unknown>, now: number): Refusal | undefined => {
  const answers: ReadonlyArray<Result.Result<unknown, QueryFailure>> = [...(social ?? []), ...(online ?? [])]
  const refusals = answers.flatMap((answer): ReadonlyArray<Refusal> => {
    if (Result.isSuccess(answer)) return []
    const { failure } = answer
    if (failure._tag === "QuotaExceeded") return [quotaExceeded(failure, now)]
    return failure._tag === "Refusal" ? [failure] : []
  })
  if (refusals.length === 0 || refusals.length < answers.length) return undefined
  // A refusal that ends by itself comes before one that needs another plan.
  const refusal = refusals.find(({ reason }) => reason !== "plan") ?? refusals[0]
  return refusal?.reason === "plan"
    ? { ...refusal, body: { ...refusal.body, error: planText("social"), hint: planHint } }
    : refusal
}
