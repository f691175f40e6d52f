import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { processReporter } from "#src/processes/processReporter.ts"
import { Tuning } from "#src/tuning/Tuning.ts"
import { call } from "#test/http/support/client.ts"
import { boundPort } from "#test/http/support/server.ts"
import { serving } from "#test/http/support/serving.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const token = "a token for the console"

/** The whole API of a process that reports itself often. */
export const operatorServer = (flags: Record<string, string> = {}) =>
  Layer.mergeAll(ApiServer, processReporter("200 millis"), Tuning.follow).pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(
      testFoundation({
        port: "0",
        host: "127.0.0.1",
        "limits.unauthenticated-per-minute": "60",
        ...flags,
      }),
    ),
  )

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** A request of an operator on this machine. */
export const ops = (path: string, { method = "GET", headers = {}, body }: Asked = {}) =>
  Effect.flatMap(boundPort, (port) =>
    call(port, `/ops/v1${path}`, {
      method,
      headers: {
        ...(method === "GET" ? {} : { "x-presage-console": "1" }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
