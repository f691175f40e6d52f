import { Effect, Layer, ManagedRuntime } from "effect"
import { HttpServer } from "effect/unstable/http"
import { isInetAddress } from "effect/unstable/net/NetAddress"
import { ApiServer } from "#http/Server.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { serving } from "#test/http/support/serving.ts"
import { answerAs } from "../support/answerAs.ts"
import type { HttpSubject } from "../support/http.ts"
import { configuration } from "./foundation.ts"

/** The server of production with the logging of production, which every request passes too. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provide(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

answerAs<HttpSubject>({
  listen: () =>
    runtime.runPromise(Effect.map(HttpServer.HttpServer, ({ address }) => (isInetAddress(address) ? address.port : 0))),
})
