import { Effect } from "effect"
import { type AccessSubject, body } from "./support/access.ts"
import type { Bench } from "./support/Bench.ts"
import type { HttpSubject } from "./support/http.ts"
import type { LoadSubject } from "./support/load.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 8
const connections = 64
const millis = 1300

/** Cost of a key: a small JSON response with key, plan, limits and metering, compared to one without and to bare Fastify. */
export const access: Bench = Effect.gen(function* () {
  const stores = yield* BenchStores
  const load = yield* startSubject<LoadSubject>("support/load.ts")
  const ours = yield* startSubject<AccessSubject>("ours/access.ts", {
    ...stores.environment,
    HOST: "127.0.0.1",
    PORT: "0",
  })
  const { port, key } = yield* ours.call("listen")
  const fastify = yield* startSubject<HttpSubject>("rivals/fastify.ts")
  const fastifyPort = yield* fastify.call("listen", { "/open": body })

  const run = (at: number, path: string, headers = {}) =>
    load.call("run", { port: at, path, headers, connections, millis })
  const results = yield* interleave(rounds, {
    keyed: run(port, "/keyed", { "x-api-key": key }),
    open: run(port, "/open"),
    fastify: run(fastifyPort, "/open"),
  })

  const rates = (name: keyof typeof results) => results[name].map(({ perSecond }) => perSecond)
  const medianOf = (name: keyof typeof results, figure: "p50" | "p99") =>
    median(results[name].map((result) => result[figure]))
  const added = (figure: "p50" | "p99") => ({
    what: `  ${figure}`,
    unit: "ms",
    ours: medianOf("keyed", figure),
    alternative: { name: "Fastify", value: medianOf("fastify", figure) },
    limit: { name: "ours without a key", value: medianOf("open", figure) },
  })
  return {
    lines: [
      {
        what: "JSON route with key, limits and metering",
        unit: "requests/s",
        ours: median(rates("keyed")),
        alternative: { name: "Fastify without them", value: median(rates("fastify")) },
        limit: { name: "ours without a key", value: median(rates("open")) },
        ratio: { to: "Fastify", value: medianRatio(rates("keyed"), rates("fastify")) },
        goal: { share: 0.35 },
      },
      added("p50"),
      added("p99"),
    ],
    notes: [
      `${connections} keep-alive connections, one request at a time on each; Redis and the load generator share the two cores`,
      `key, limits and metering add ${(medianOf("keyed", "p50") - medianOf("open", "p50")).toFixed(2)} ms at the median, ${(medianOf("keyed", "p99") - medianOf("open", "p99")).toFixed(2)} ms at p99`,
    ],
    rounds: results,
  }
}).pipe(withStores)
