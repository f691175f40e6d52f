import { Readable } from "node:stream"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Equal, Layer, Logger } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { serve } from "#http/Server.ts"
import { port } from "#src/platform/config/settings.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { call, speak } from "./support/client.ts"
import { boundPort, configuration } from "./support/server.ts"

/** Node refuses a `trailer` header without chunked encoding. */
const headers = { trailer: "x-count" }
const bodies = {
  stream: () => HttpServerResponse.raw(Equal.byReferenceUnsafe(Readable.from(["one", "two"])), { headers }),
  text: () => HttpServerResponse.text("one", { headers }),
  long: () => HttpServerResponse.uint8Array(new Uint8Array(2_000_000), { headers }),
  nothing: () => HttpServerResponse.empty({ status: 200, headers: { ...headers, "x-bad": "a\u0000b" } }),
}
const kinds = Object.keys(bodies) as ReadonlyArray<keyof typeof bodies>

const closed = new Map(kinds.map((kind) => [kind, Deferred.makeUnsafe<void>()]))
const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/fine", HttpServerResponse.text("fine")),
  ...kinds.map((kind) =>
    HttpRouter.add(
      "GET",
      `/broken/${kind}`,
      Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Deferred.succeed(closed.get(kind) ?? Deferred.makeUnsafe<void>(), undefined))
        return bodies[kind]()
      }),
    ),
  ),
)
const server = serve(routes, port).pipe(
  Layer.provideMerge(Shutdown.layer.pipe(Layer.provideMerge(Health.layer))),
  Layer.provideMerge(configuration()),
  Layer.provide(Logger.layer([])),
)

layer(server, { excludeTestServices: true })("An answer whose head Node refuses to write", (it) => {
  it.effect.each(kinds.map((kind) => [kind] as const))("is aborted and releases its resources: %s", ([kind]) =>
    Effect.gen(function* () {
      const bound = yield* boundPort
      assert.strictEqual(yield* speak(bound, `GET /broken/${kind} HTTP/1.0\r\n\r\n`), "")
      yield* Effect.timeout(Deferred.await(closed.get(kind) ?? Deferred.makeUnsafe<void>()), "1 minute")
      assert.strictEqual((yield* call(bound, "/fine")).text, "fine")
    }),
  )
})
