import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { quotaHeaders } from "#src/access/refusals.ts"
import { budgetSeconds, ContextBundle } from "#src/context/ContextBundle.ts"
import type { GeneratedQuery } from "#src/context/model.ts"
import { CurrentCaller } from "../middleware/AccessControl.ts"
import { allowTime } from "../server/deadline.ts"
import { refusalResponse } from "../server/errors.ts"
import { type ContextInput, contextLimits, readSources } from "./parameters.ts"
import { refusalOf, shownSources } from "./translate.ts"

/** What a bundle is about. */
export interface ContextSubject {
  readonly slug: string
  readonly title: string
  readonly querySet: string
  readonly queries: ReadonlyArray<GeneratedQuery>
  readonly headers: Readonly<Record<string, string>>
}

const noStore = { "cache-control": "private, no-store" }

/** Answers with what the sources say about a subject that `find` looks up, and its state if that is wanted. */
export const contextResponder = Effect.map(
  ContextBundle,
  (bundle) =>
    <A extends ContextSubject, E, R, S, E2, R2>(
      input: ContextInput,
      find: (maxQueries: number) => Effect.Effect<A, E, R>,
      stateOf: (found: A, tokens: number) => Effect.Effect<S, E2, R2>,
    ) =>
      Effect.gen(function* () {
        const sources = yield* readSources(input.sources)
        allowTime(yield* HttpServerRequest, `${budgetSeconds} seconds`)
        const found = yield* find(input.max_queries ?? contextLimits.queries.default)
        const caller = yield* CurrentCaller
        const { slug, title, querySet, queries, headers } = found
        const state = stateOf(found, input.price_limit_tokens ?? contextLimits.tokens.default)
        const answers = yield* bundle.ask(
          { caller, queries, sources },
          input.include_state === "true" ? Effect.map(state, (state) => ({ state })) : Effect.succeed({}),
        )
        const now = yield* Clock.currentTimeMillis
        const quota = answers.quota === undefined ? {} : quotaHeaders(answers.quota)
        const refusal = refusalOf(answers, now)
        if (refusal !== undefined) return HttpServerResponse.setHeaders(refusalResponse(refusal), quota)
        const body = {
          slug,
          title,
          query_set: querySet,
          generated_queries: queries.map(({ id, query, social, reason }) => ({
            id,
            query,
            social_query: social,
            reason,
          })),
          sources_requested: sources,
          sources: shownSources(queries, sources, answers, input.max_per_query ?? contextLimits.perQuery.default, now),
          ...answers.beside,
        }
        return HttpServerResponse.jsonUnsafe(body, { headers: { ...noStore, ...headers, ...quota } })
      }),
)
