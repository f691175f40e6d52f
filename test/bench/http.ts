import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { Bodies, HttpSubject } from "./support/http.ts"
import type { LoadResult, LoadSubject } from "./support/load.ts"
import type { Line } from "./support/report.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 6
const connections = 48
const millis = 1300
const throughApi = "/healthz"
const throughRouter = "/"

const bodyOf = (port: number, path: string) =>
  Effect.promise(async () => (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as Bodies[string])

/** Small JSON responses: our server with all its middleware, compared to Fastify and Node's bare server. */
export const http: Bench = Effect.gen(function* () {
  const stores = yield* BenchStores
  const environment = { ...stores.environment, HOST: "127.0.0.1", PORT: "0" }
  const load = yield* startSubject<LoadSubject>("support/load.ts")
  const ours = yield* startSubject<HttpSubject>("ours/http.ts", environment)
  const port = yield* ours.call("listen", {})
  const bodies: Bodies = {
    [throughApi]: yield* bodyOf(port, throughApi),
    [throughRouter]: yield* bodyOf(port, throughRouter),
  }
  const fastify = yield* startSubject<HttpSubject>("rivals/fastify.ts")
  const fastifyPort = yield* fastify.call("listen", bodies)
  const node = yield* startSubject<HttpSubject>("rivals/nodeHttp.ts")
  const nodePort = yield* node.call("listen", bodies)

  const run = (at: number, path: string) => load.call("run", { port: at, path, connections, millis })
  const results = yield* interleave(rounds, {
    api: run(port, throughApi),
    fastifyApi: run(fastifyPort, throughApi),
    nodeApi: run(nodePort, throughApi),
    router: run(port, throughRouter),
    fastifyRouter: run(fastifyPort, throughRouter),
    nodeRouter: run(nodePort, throughRouter),
  })

  type Key = keyof typeof results
  const compare = (what: string, mine: Key, rival: Key, bare: Key, share: number): ReadonlyArray<Line> => {
    const figures = (of: (result: LoadResult) => number) => ({
      ours: median(results[mine].map(of)),
      alternative: { name: "Fastify", value: median(results[rival].map(of)) },
      limit: { name: "node:http", value: median(results[bare].map(of)) },
    })
    const rate = (result: LoadResult) => result.perSecond
    const value = medianRatio(results[mine].map(rate), results[rival].map(rate))
    return [
      { what, unit: "requests/s", ...figures(rate), ratio: { to: "Fastify", value }, goal: { share } },
      { what: "  p50", unit: "ms", ...figures((result) => result.p50) },
      { what: "  p99", unit: "ms", ...figures((result) => result.p99) },
    ]
  }
  const busy = (key: Key) => `${Math.round(100 * median(results[key].map((result) => result.busy)))} %`
  return {
    lines: [
      ...compare(`HttpApi GET ${throughApi}`, "api", "fastifyApi", "nodeApi", 0.45),
      ...compare(`HttpRouter GET ${throughRouter}`, "router", "fastifyRouter", "nodeRouter", 0.7),
    ],
    notes: [
      `${connections} keep-alive connections, one request at a time on each`,
      `the load generator used ${busy("api")} of a core against ours, ${busy("nodeApi")} against node:http`,
    ],
    rounds: results,
  }
}).pipe(withStores)
