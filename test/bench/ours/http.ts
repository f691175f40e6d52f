import { Effect, Layer, ManagedRuntime } from "effect"
import { HttpServer } from "effect/unstable/http"
import { isInetAddress } from "effect/unstable/net/NetAddress"
import { ApiServer } from "#http/Server.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { serving } from "#test/http/support/serving.ts"
import { expose } from "../support/expose.ts"
import type { HttpSubject } from "../support/http.ts"
import { configuration } from "./foundation.ts"

/** The production server, including its request logging. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provide(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

expose<HttpSubject>({
  listen: () =>
    runtime.runPromise(Effect.map(HttpServer.HttpServer, ({ address }) => (isInetAddress(address) ? address.port : 0))),
})
