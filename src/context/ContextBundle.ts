import { Context, Effect, Layer, Result } from "effect"
import { Admission } from "#src/access/Admission.ts"
import { anyKey, type Rule } from "#src/access/Rule.ts"
import type { Refusal } from "#src/access/refusals.ts"
import type { Caller } from "#src/domain/Account.ts"
import * as buckets from "#src/limits/buckets.ts"
import { Quota, type QuotaExceeded, type QuotaStatus, type QuotaUnavailable } from "#src/limits/Quota.ts"
import type { OnlineFindings, OnlineSearchFailed } from "#src/online-search/model.ts"
import { OnlineSearch } from "#src/online-search/OnlineSearch.ts"
import { normalizedQuery } from "#src/online-search/query.ts"
import { SocialFailed, type SocialFindings } from "#src/social/model.ts"
import { QueryError } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"
import { Social } from "#src/social/Social.ts"
import { socialUnits } from "#src/social/units.ts"
import { type ContextSource, type GeneratedQuery, TooLate } from "./model.ts"

/** A client waits for the answer. */
export const budgetSeconds = 10

/** The smallest page of X: bundles share its answer, whatever number of rows they list. */
const postsPerQuery = 10

/** As a search without parameters. */
const webSearch = { language: "en-US", safeSearch: 0, cacheSeconds: 600 } as const

/** A source costs what its own endpoint does: a bundle is one request of it. Units are charged for each query. */
const sourceRules: Readonly<Record<ContextSource, Rule>> = {
  social: { ...anyKey, minPlan: "starter", perKey: buckets.social },
  online: { ...anyKey, perKey: buckets.onlineSearch },
}

export interface BundleRequest {
  readonly caller: Caller
  readonly queries: ReadonlyArray<GeneratedQuery>
  readonly sources: ReadonlyArray<ContextSource>
}

export type SocialAnswer = Result.Result<
  SocialFindings,
  SocialFailed | QuotaExceeded | QuotaUnavailable | TooLate | Refusal
>
export type OnlineAnswer = Result.Result<OnlineFindings, OnlineSearchFailed | TooLate | Refusal>

/** What the sources say, in the order of the queries; undefined for a source that was not asked. */
export interface Bundle<B> {
  readonly social: ReadonlyArray<SocialAnswer> | undefined
  readonly online: ReadonlyArray<OnlineAnswer> | undefined
  /** Social units of the account after this request. */
  readonly quota: QuotaStatus | undefined
  readonly beside: B
}

const parallel = { concurrency: "unbounded" } as const

const inTime = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(work, {
    duration: `${budgetSeconds} seconds`,
    orElse: () => Effect.fail(new TooLate({ seconds: budgetSeconds })),
  })

/** Asks several sources about a subject at the same time. A source that fails does not keep the others from answering. */
export class ContextBundle extends Context.Service<
  ContextBundle,
  {
    /**
     * Charges the limits of the sources, and a social unit for each query that X answered; nothing if the work beside it
     * fails.
     */
    readonly ask: <B, E, R>(request: BundleRequest, beside: Effect.Effect<B, E, R>) => Effect.Effect<Bundle<B>, E, R>
  }
>()("presage/context/ContextBundle") {
  static readonly layer = Layer.effect(
    ContextBundle,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const admission = yield* Admission
  const quota = yield* Quota
  const social = yield* Social
  const online = yield* OnlineSearch

  const postsAbout = ({ social: text }: GeneratedQuery) => {
    const query = translateQuery(text)
    return query instanceof QueryError
      ? Effect.fail(new SocialFailed({ kind: "query", detail: query.problem }))
      : inTime(social.search(query, postsPerQuery))
  }

  const pagesAbout = ({ query, isRecent }: GeneratedQuery) =>
    inTime(
      online.search({
        ...webSearch,
        text: normalizedQuery(query),
        engines: online.engines().byDefault,
        timeRange: isRecent ? "week" : undefined,
      }),
    ).pipe(Effect.map(({ findings }) => findings))

  /** The refusal of a source that the caller may not ask now; undefined if it may. */
  const refusalOf = (source: ContextSource, { caller, sources }: BundleRequest) =>
    sources.includes(source)
      ? Effect.match(admission.admitPart(caller, sourceRules[source]), {
          onFailure: (refusal) => refusal,
          onSuccess: () => undefined,
        })
      : Effect.undefined

  const ask = <B, E, R>(request: BundleRequest, beside: Effect.Effect<B, E, R>): Effect.Effect<Bundle<B>, E, R> =>
    Effect.gen(function* () {
      const { caller, queries, sources } = request
      const refused = yield* Effect.all(
        { social: refusalOf("social", request), online: refusalOf("online", request) },
        parallel,
      )
      const answersOf = <A, F>(
        source: ContextSource,
        refusal: Refusal | undefined,
        search: (query: GeneratedQuery) => Effect.Effect<A, F>,
      ): Effect.Effect<ReadonlyArray<Result.Result<A, F | Refusal>> | undefined> => {
        if (!sources.includes(source)) return Effect.undefined
        if (refusal !== undefined) return Effect.succeed(queries.map(() => Result.fail(refusal)))
        return Effect.forEach(queries, (query) => Effect.result(search(query)), parallel)
      }
      const rest = Effect.all([answersOf("online", refused.online, pagesAbout), beside], parallel)
      if (!sources.includes("social")) {
        const [pages, value] = yield* rest
        return { social: undefined, online: pages, quota: undefined, beside: value }
      }
      const pieces = refused.social === undefined ? queries.map(postsAbout) : []
      const limit = socialUnits.perMonth[caller.plan]
      const metered = yield* quota.meteredEach(caller.account, socialUnits.name, limit, pieces, rest)
      const [pages, value] = metered.beside
      const { social: refusal } = refused
      return {
        social: refusal === undefined ? metered.results : queries.map(() => Result.fail(refusal)),
        online: pages,
        quota: metered.status,
        beside: value,
      }
    })

  return ContextBundle.of({
    ask: (request, beside) => Effect.withSpan(ask(request, beside), "ContextBundle.ask"),
  })
})
