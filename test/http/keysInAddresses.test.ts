import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { telemetry } from "#src/platform/telemetry/Telemetry.ts"
import { collector } from "#test/platform/support/collector.ts"
import { standardError } from "#test/support/standardError.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { type Answer, call } from "./support/client.ts"
import { keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"
import { serving } from "./support/serving.ts"
import { everythingInPostgres, everythingInRedis } from "./support/stored.ts"

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Addresses of an endpoint with the key in every place where a client could put it. */
const addressesOf = (path: string, { parameters = [] }: Operation, key: string): ReadonlyArray<string> => {
  const valid = path.replaceAll(/\{[^}]+\}/g, "1")
  const query = parameters.filter((each) => each.in === "query").map(({ name }) => `${name}=${key}`)
  return [
    `${valid}?${[...query, `key=${key}`].join("&")}`,
    `${valid}?${key}=1&KEY=${key}&k%65y=${key}`,
    ...(valid === path ? [] : [`${path.replaceAll(/\{[^}]+\}/g, key)}?key=${key}`]),
  ]
}

/** Pages, files and addresses that no endpoint has. */
const elsewhere = [
  "/",
  "/docs",
  "/explore",
  "/console",
  "/llms.txt",
  "/metrics",
  "/nowhere",
  "/ops/v1/overview",
  "/%zz",
]

const server = (url: string) =>
  ApiServer.pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(telemetry("9.9.9")),
    Layer.provideMerge(
      testFoundation({
        port: "0",
        host: "127.0.0.1",
        "sim.port": "1",
        "log.level": "debug",
        "otel.exporter.otlp.endpoint": url,
        "otel.sample-ratio": "1",
        "limits.unauthenticated-per-minute": "100000",
      }),
    ),
  )

it.live("A key in an address reaches no answer, log, trace, metric, referrer or store, at any endpoint", () =>
  Effect.gen(function* () {
    const { url, bodies } = yield* collector
    const written = yield* standardError
    const kept = yield* Effect.gen(function* () {
      const port = yield* boundPort
      const { key } = yield* keyOf("enterprise")
      const secret = key.slice(9)
      const { json } = yield* call(port, "/openapi.json")
      const shown: Array<string> = []
      const referrers: Array<string> = []
      const body = JSON.stringify({ [key]: key })
      const withBody = { "content-type": "application/json", "content-length": String(body.length) }
      const ask = (method: string, address: string) =>
        Effect.map(
          call(port, address, {
            method: method.toUpperCase(),
            headers: {
              referer: `http://x${address}`,
              "user-agent": key,
              ...(method === "get" ? {} : withBody),
            },
            ...(method === "get" ? {} : { body }),
          }),
          ({ status, text, headers }: Answer) => {
            if (`${text}${JSON.stringify(headers)}`.includes(secret)) shown.push(`${status} ${method} ${address}`)
            if (headers["referrer-policy"] !== "no-referrer") referrers.push(`${status} ${method} ${address}`)
            return status
          },
        )
      const requests = Object.entries(json.paths as Paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, operation]) =>
          addressesOf(path, operation, key).map((address) => ({ method, address })),
        ),
      )
      const others = elsewhere.map((path) => ({ method: "get", address: `${path}?key=${key}` }))
      const statuses = yield* Effect.forEach([...requests, ...others], ({ method, address }) => ask(method, address), {
        concurrency: 8,
      })
      assert.isAbove(statuses.length, 250)
      assert.includeMembers(statuses, [200, 400, 404])
      assert.deepStrictEqual(shown, [], "answers that show the key")
      assert.deepStrictEqual(referrers, [], "answers after which a browser would send the address elsewhere")
      return { secret, Postgres: yield* everythingInPostgres, Redis: yield* everythingInRedis }
    }).pipe(Effect.provide(server(url)))

    const { secret, ...stores } = kept
    const everything = [...bodies, ...Object.entries({ ...stores, stderr: written.join("") })]
    for (const signal of ["logs", "traces", "metrics"]) assert.isAbove(bodies.get(`/v1/${signal}`)?.length ?? 0, 1000)
    for (const [where, text] of everything) {
      const at = text.indexOf(secret)
      assert.strictEqual(at, -1, `${where}: ${text.slice(Math.max(0, at - 200), at + 20)}`)
    }
  }),
)
