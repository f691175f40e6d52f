import { Effect } from "effect"
import type { BytesSubject } from "./rivals/fastifyBytes.ts"
import type { Bench } from "./support/Bench.ts"
import type { CachedSubject } from "./support/cached.ts"
import type { HttpSubject } from "./support/http.ts"
import type { LoadSubject } from "./support/load.ts"
import type { Line } from "./support/report.ts"
import { interleave } from "./support/rounds.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 6
const connections = 64
const millis = 1200

/** Cached responses with key, limits and metering, compared to Fastify without them: hello-world and the same bytes. */
export const cached: Bench = Effect.gen(function* () {
  const stores = yield* BenchStores
  const load = yield* startSubject<LoadSubject>("support/load.ts")
  const ours = yield* startSubject<CachedSubject>("ours/cached.ts", {
    ...stores.environment,
    HOST: "127.0.0.1",
    PORT: "0",
  })
  const { port, key } = yield* ours.call("listen")
  const hello = yield* startSubject<HttpSubject>("rivals/fastify.ts")
  const helloPort = yield* hello.call("listen", { "/": { hello: "world" } })
  const bytes = yield* startSubject<BytesSubject>("rivals/fastifyBytes.ts")
  const bytesPort = yield* bytes.call("listen")

  const run = (at: number, path: string, headers = {}) =>
    load.call("run", { port: at, path, headers, connections, millis })
  const keyed = { "x-api-key": key }
  const gzip = { "accept-encoding": "gzip" }
  const results = yield* interleave(rounds, {
    small: run(port, "/small", keyed),
    smallBytes: run(bytesPort, "/small"),
    hello: run(helloPort, "/"),
    smallGzip: run(port, "/small", { ...keyed, ...gzip }),
    smallGzipBytes: run(bytesPort, "/small", gzip),
    large: run(port, "/large", keyed),
    largeBytes: run(bytesPort, "/large"),
    largeGzip: run(port, "/large", { ...keyed, ...gzip }),
    largeGzipBytes: run(bytesPort, "/large", gzip),
  })

  type Key = keyof typeof results
  const rates = (name: Key) => results[name].map(({ perSecond }) => perSecond)
  const line = (what: string, mine: Key, bare: Key, share: number): Line => ({
    what,
    unit: "requests/s",
    ours: median(rates(mine)),
    alternative: { name: "Fastify hello-world", value: median(rates("hello")) },
    limit: { name: "Fastify, same bytes", value: median(rates(bare)) },
    ratio: { to: "hello-world", value: medianRatio(rates(mine), rates("hello")) },
    goal: { share },
  })
  const toBytes = (mine: Key, bare: Key) => medianRatio(rates(mine), rates(bare)).toFixed(2)
  const p50 = (name: Key) => median(results[name].map((result) => result.p50)).toFixed(2)
  return {
    lines: [
      line("cached response of 2 KB", "small", "smallBytes", 0.5),
      line("  gzip", "smallGzip", "smallGzipBytes", 0.5),
      line("cached response of 50 KB", "large", "largeBytes", 0.5),
      line("  gzip", "largeGzip", "largeGzipBytes", 0.5),
    ],
    notes: [
      `${connections} keep-alive connections; ours with key, limits and metering, Fastify without; Redis shares the two cores`,
      `ratio to Fastify sending the same bytes: ${toBytes("small", "smallBytes")}, gzip ${toBytes("smallGzip", "smallGzipBytes")}; 50 KB ${toBytes("large", "largeBytes")}, gzip ${toBytes("largeGzip", "largeGzipBytes")}`,
      `p50 of 2 KB ${p50("small")} ms, hello-world ${p50("hello")} ms`,
    ],
    rounds: results,
  }
}).pipe(withStores)
