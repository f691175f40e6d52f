import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Resolver } from "#src/resolve/Resolver.ts"
import { queryKey } from "#src/resolve/readQuery.ts"
import { Api } from "../Api.ts"
import { CachedAnswers } from "../caching/CachedAnswers.ts"
import { ResolvedUser } from "./shapes.ts"
import { accountJson, resolveFailure } from "./translate.ts"

const second = 1000

export const ResolveHandlers = HttpApiBuilder.group(
  Api,
  "resolve",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const resolver = yield* Resolver
    return handlers.handleRaw(
      "resolve",
      answers.handler({
        name: "resolve",
        schema: ResolvedUser,
        key: ({ params }) => queryKey(params.query),
        freshFor: 30 * second,
        staleFor: 600 * second,
        load: ({ params }) =>
          resolver.resolve(params.query).pipe(
            Effect.map((account) => ({ value: accountJson(account) })),
            Effect.catch(resolveFailure),
          ),
      }),
    )
  }),
)
