import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { CachedAnswers } from "#http/caching/CachedAnswers.ts"
import { AccessControl, AccessControlLive } from "#http/middleware/AccessControl.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"
import { serve } from "#http/Server.ts"
import { Unavailable } from "#http/server/errors.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { port } from "#src/platform/config/settings.ts"
import { access } from "#src/roles/Access.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { type CachedSubject, listOf, sizes } from "../support/cached.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

const Series = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  title: Schema.String,
  recurrence: Schema.String,
  active: Schema.Boolean,
})
const List = Schema.Struct({ series: Schema.Array(Series), count: Schema.Int })

class Group extends HttpApiGroup.make("bench").add(
  HttpApiEndpoint.get("small", "/small", { success: List, error: Unavailable }),
  HttpApiEndpoint.get("large", "/large", { success: List, error: Unavailable }),
) {}

class BenchApi extends HttpApi.make("bench").add(Group).middleware(StrictInput).middleware(AccessControl) {}

const handlers = HttpApiBuilder.group(
  BenchApi,
  "bench",
  Effect.fnUntraced(function* (handlers) {
    const answers = yield* CachedAnswers
    const lifetime = { freshFor: 5000, staleFor: 30_000 }
    const list = (name: keyof typeof sizes) =>
      ({
        name,
        schema: List,
        ...lifetime,
        load: () => Effect.succeed({ value: listOf(sizes[name]) }),
      }) as const
    return handlers
      .handleRaw("small", answers.handler(list("small")))
      .handleRaw("large", answers.handler(list("large")))
  }),
)

const routes = HttpApiBuilder.layer(BenchApi).pipe(
  Layer.provide(handlers),
  Layer.provide([AccessControlLive, CachedAnswers.layer]),
  Layer.provide(AnswerCache.layer),
)

/** The full production path of a request with a key. */
const runtime = ManagedRuntime.make(
  serve(routes, port).pipe(
    Layer.provideMerge(access),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)

expose<CachedSubject>({ listen: () => runtime.runPromise(listenWithKey) })
