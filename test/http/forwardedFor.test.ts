import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { ApiServer } from "#http/Server.ts"
import { seed } from "#test/support/processes/scale.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { call } from "./support/client.ts"
import { boundPort } from "./support/server.ts"
import { serving } from "./support/serving.ts"

const server = (flags: Record<string, string>) =>
  ApiServer.pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(
      testFoundation({
        port: "0",
        host: "127.0.0.1",
        "sim.port": "1",
        "limits.unauthenticated-per-minute": "1000",
        ...flags,
      }),
    ),
  )

type Headers = Record<string, string | Array<string>>

/** Headers in which proxies name a client. */
const names = [
  ...["x-forwarded-for", "X-FORWARDED-FOR", "forwarded", "x-real-ip", "x-client-ip", "true-client-ip"],
  ...["cf-connecting-ip", "fastly-client-ip", "x-cluster-client-ip", "x-original-forwarded-for", "via"],
]

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((four) => `::ffff:${four}`),
  fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 65_535 })).map(([four, port]) => `${four}:${port}`),
  fc.ipV6().map((six) => `[${six}]:443`),
  fc.ipV4().map((four) => `for=${four};proto=https`),
  fc.constantFrom("127.0.0.1", "::1", "localhost", "unknown", "_hidden", "-", "", "0", "\t", "%00", "10.0.0.1/8"),
  fc.stringMatching(/^[ -~]{0,40}$/),
)
const chain = fc.array(address, { minLength: 1, maxLength: 4 }).map((hops) => hops.join(", "))

/** One or several headers, of which one may be sent twice. */
const forged: fc.Arbitrary<Headers> = fc.dictionary(
  fc.constantFrom(...names),
  fc.oneof(chain, fc.array(chain, { minLength: 2, maxLength: 3 })),
  { minKeys: 1, maxKeys: 4 },
)

const samples = (count: number): ReadonlyArray<Headers> => [
  ...names.map((name) => ({ [name]: "192.0.2.99" })),
  { "x-forwarded-for": ["192.0.2.98", "127.0.0.1"] },
  { "x-forwarded-for": `${"192.0.2.97, ".repeat(800)}192.0.2.97` },
  ...fc.sample(forged, { numRuns: count, seed: Number(seed) >>> 0 }),
]

const statuses = (method: string, path: string, all: ReadonlyArray<Headers>) =>
  Effect.flatMap(boundPort, (port) =>
    Effect.forEach(
      all,
      (headers) =>
        Effect.map(call(port, path, { method, headers: headers as Record<string, string> }), (_) => _.status),
      { concurrency: 8 },
    ),
  )

const only = (found: ReadonlyArray<number>) => [...new Set(found)]

layer(server({}), { excludeTestServices: true })("What a client says about its address", (it) => {
  it.effect("buys no second free key", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* statuses("POST", "/v1/keys", [{}]), [201])
      assert.deepStrictEqual(only(yield* statuses("POST", "/v1/keys", samples(80))), [429], `seed ${seed}`)
    }),
  )

  it.effect("opens neither metrics nor keys to a page whose name resolves to this machine", () =>
    Effect.gen(function* () {
      const all = samples(40).map((headers) => ({ ...headers, host: "evil.example:8080" }))
      assert.deepStrictEqual(only(yield* statuses("POST", "/v1/keys", all)), [421])
      const metrics = only(yield* statuses("GET", "/metrics", all))
      assert.isEmpty(metrics.filter((status) => status !== 421 && status !== 403))
      const console = only(yield* statuses("GET", "/ops/v1/overview", all))
      assert.isEmpty(console.filter((status) => status !== 421 && status !== 403 && status !== 401))
    }),
  )
})

layer(server({ "limits.unauthenticated-per-minute": "20" }), { excludeTestServices: true })(
  "A client that guesses keys",
  (it) => {
    it.effect("is limited whatever it says about its address", () =>
      Effect.gen(function* () {
        const found = yield* statuses("GET", "/v1/keys?key=nonsense", samples(40))
        assert.isAtMost(found.filter((status) => status === 401).length, 20)
        assert.sameMembers(only(found), [401, 429])
      }),
    )
  },
)

layer(server({ "http.trusted-proxies": "127.0.0.1" }), { excludeTestServices: true })(
  "Behind a trusted proxy, what a client says about its address",
  (it) => {
    it.effect("buys no second free key, because the proxy adds the address it sees", () =>
      Effect.gen(function* () {
        const through = ({ "x-forwarded-for": given, "X-FORWARDED-FOR": _, ...rest }: Headers): Headers => ({
          ...rest,
          "x-forwarded-for": [...[given ?? []].flat(), "198.51.100.7"].join(", "),
        })
        assert.deepStrictEqual(yield* statuses("POST", "/v1/keys", [through({})]), [201])
        assert.deepStrictEqual(
          only(yield* statuses("POST", "/v1/keys", samples(80).map(through))),
          [429],
          `seed ${seed}`,
        )
      }),
    )
  },
)
