import { Effect } from "effect"
import { type AccessSubject, body } from "./support/access.ts"
import type { Bench } from "./support/Bench.ts"
import type { HttpSubject } from "./support/http.ts"
import type { LoadSubject } from "./support/load.ts"
import { inTurns } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 8
const connections = 64
const millis = 1300

/** What a key costs: a small JSON answer with key, plan, limits and meter, beside the same without, and beside bare Fastify. */
export const access: Bench = Effect.gen(function* () {
  const stores = yield* BenchStores
  const load = yield* startSubject<LoadSubject>("support/load.ts")
  const ours = yield* startSubject<AccessSubject>("ours/access.ts", {
    ...stores.environment,
    HOST: "127.0.0.1",
    PORT: "0",
  })
  const { port, key } = yield* ours.ask("listen")
  const fastify = yield* startSubject<HttpSubject>("rivals/fastify.ts")
  const fastifyPort = yield* fastify.ask("listen", { "/open": body })

  const fire = (at: number, path: string, headers = {}) =>
    load.ask("fire", { port: at, path, headers, connections, millis })
  const results = yield* inTurns(rounds, {
    keyed: fire(port, "/keyed", { "x-api-key": key }),
    open: fire(port, "/open"),
    fastify: fire(fastifyPort, "/open"),
  })

  const rates = (name: keyof typeof results) => results[name].map(({ perSecond }) => perSecond)
  const middle = (name: keyof typeof results, figure: "p50" | "p99") =>
    median(results[name].map((hits) => hits[figure]))
  const added = (figure: "p50" | "p99") => ({
    what: `  ${figure}`,
    unit: "ms",
    ours: middle("keyed", figure),
    alternative: { name: "Fastify", value: middle("fastify", figure) },
    limit: { name: "ours without a key", value: middle("open", figure) },
  })
  return {
    lines: [
      {
        what: "JSON route with key, limits and meter",
        unit: "requests/s",
        ours: median(rates("keyed")),
        alternative: { name: "Fastify without any", value: median(rates("fastify")) },
        limit: { name: "ours without a key", value: median(rates("open")) },
        ratio: { to: "Fastify", value: medianRatio(rates("keyed"), rates("fastify")) },
        goal: { share: 0.35 },
      },
      added("p50"),
      added("p99"),
    ],
    notes: [
      `${connections} kept-alive connections, one request at a time on each; Redis and the generator share the two cores`,
      `key, limits and meter add ${(middle("keyed", "p50") - middle("open", "p50")).toFixed(2)} ms at the median, ${(middle("keyed", "p99") - middle("open", "p99")).toFixed(2)} ms at p99`,
    ],
    rounds: results,
  }
}).pipe(withStores)
