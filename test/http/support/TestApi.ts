import { Context, Effect, Latch, Layer, Queue, Redacted, Schema } from "effect"
import * as HttpApi from "effect/unstable/httpapi/HttpApi"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import { accessRequestOf } from "#http/access/accessRequest.ts"
import { StrictInput } from "#http/middleware/StrictInput.ts"

/** Holds requests to `/v1/test/slow` until the test releases them, and reports when one has arrived. */
export class SlowRequests extends Context.Service<
  SlowRequests,
  { readonly arrived: Queue.Queue<void>; readonly latch: Latch.Latch }
>()("test/http/SlowRequests") {
  static readonly layer = Layer.effect(
    SlowRequests,
    Effect.gen(function* () {
      return { arrived: yield* Queue.unbounded<void>(), latch: Latch.makeUnsafe() }
    }),
  )
}

const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
const Item = Schema.Struct({
  name: Schema.String,
  price: Schema.Finite,
  details: Schema.Struct({ tags: Schema.Array(Schema.String) }),
})
const Seen = Schema.Struct({ seen: Schema.String })

class TestGroup extends HttpApiGroup.make("test").add(
  HttpApiEndpoint.get("item", "/v1/test/items/:id", {
    params: { id: Schema.Int },
    query: {
      token: Schema.String.annotate({ description: "the id of the token" }),
      limit: Schema.optionalKey(Limit),
      order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
      tag: Schema.optionalKey(Schema.Array(Schema.String)),
    },
    success: Seen,
  }),
  HttpApiEndpoint.post("create", "/v1/test/items", { payload: Item, success: Seen }),
  HttpApiEndpoint.get("boom", "/v1/test/boom", { success: Seen }),
  HttpApiEndpoint.get("badAnswer", "/v1/test/bad-answer", { success: Seen }),
  HttpApiEndpoint.get("slow", "/v1/test/slow", { success: Seen }),
  HttpApiEndpoint.get("logs", "/v1/test/logs", { success: Seen }),
  HttpApiEndpoint.get("key", "/v1/test/key", { query: { q: Schema.optionalKey(Schema.String) }, success: Seen }),
  HttpApiEndpoint.get("thing", "/v3/test/things/:name", { params: { name: Schema.String }, success: Seen }),
) {}

class TestApi extends HttpApi.make("presage").add(TestGroup).middleware(StrictInput) {}

const handlers = HttpApiBuilder.group(
  TestApi,
  "test",
  Effect.fnUntraced(function* (handlers) {
    const gate = yield* SlowRequests
    return handlers.handleAll({
      item: ({ params, query }) =>
        Effect.succeed({ seen: `${params.id} ${query.token} ${query.limit ?? "-"} ${(query.tag ?? []).join("+")}` }),
      create: ({ payload }) => Effect.succeed({ seen: payload.name }),
      boom: () => Effect.die(new Error("a secret detail")),
      badAnswer: () => Effect.succeed({ seen: JSON.parse("5") as string }),
      slow: () =>
        Queue.offer(gate.arrived, undefined).pipe(Effect.andThen(gate.latch.await), Effect.as({ seen: "slow" })),
      logs: () => Effect.as(Effect.logInfo("inside the handler"), { seen: "logged" }),
      key: ({ request, query }) => {
        const [key] = accessRequestOf(request).queryKeys
        return Effect.succeed({ seen: `${request.url} ${query.q ?? "-"} ${key ? Redacted.value(key) : "none"}` })
      },
      thing: ({ params }) => Effect.succeed({ seen: params.name }),
    })
  }),
)

export const TestRoutes = HttpApiBuilder.layer(TestApi).pipe(Layer.provide(handlers))
