import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import type { Crowd, SocketsSubject, StreamServer, StreamSubject, Told } from "./support/streams.ts"

const rounds = 3
/** As many deliveries for each number of sockets; fewer for who needs much longer for them. */
const deliveries = { ours: 2_000_000, limit: 2_000_000, alternative: 200_000 }
const within = 60_000
const idle = 5000

const subscribe = (more: object) => JSON.stringify({ action: "subscribe", ...more })
const allFills = subscribe({ type: "fills" })

type Where = Pick<Crowd, "port" | "path">

const perSecond = (count: number, millis: number) => (count * 1000) / millis

/** The gateway, the limit and the alternative, each with sockets of its own, one after the other. */
const fanOut = Effect.fnUntraced(function* (
  sockets: number,
  ours: Effect.Success<ReturnType<typeof startSubject<StreamSubject>>>,
  where: Where,
) {
  const crowd = yield* startSubject<SocketsSubject>("support/sockets.ts")
  const measure = Effect.fnUntraced(function* (
    place: Where,
    messages: ReadonlyArray<string>,
    total: number,
    tell: (count: number) => Effect.Effect<void, Error>,
  ) {
    const count = Math.round(total / sockets)
    yield* crowd.ask("open", { ...place, messages, count: sockets, until: "subscribed" })
    const results: Array<number> = []
    let faults = 0
    for (let round = 0; round <= rounds; round++) {
      yield* crowd.ask("begin")
      yield* tell(count)
      const got = yield* crowd.ask("received", count * sockets, within)
      faults += got.faults + Math.abs(got.deliveries - count * sockets)
      // The first warms everything up.
      if (round > 0) results.push(perSecond(got.deliveries, got.millis))
    }
    const sample = yield* crowd.ask("sample")
    yield* crowd.ask("close")
    return { results, faults, sample }
  })
  const gateway = yield* measure(where, [allFills], deliveries.ours, (count) => ours.ask("tell", count))
  const rival = Effect.fnUntraced(function* (file: string, total: number) {
    const server = yield* startSubject<StreamServer>(file)
    const place = yield* server.ask("listen")
    return yield* measure(place, [], total, (count) => server.ask("tell", count, gateway.sample))
  })
  const limit = yield* Effect.scoped(rival("rivals/uwsPublish.ts", deliveries.limit))
  const alternative = yield* Effect.scoped(rival("rivals/wsPackage.ts", deliveries.alternative))
  return { sockets, gateway, limit, alternative }
})

const fanOutLines = (found: Effect.Success<ReturnType<typeof fanOut>>): ReadonlyArray<Line> => {
  const [ours, limit, alternative] = [found.gateway.results, found.limit.results, found.alternative.results]
  const what = `fills to ${found.sockets.toLocaleString("en")} sockets`
  const figures = {
    alternative: { name: "ws", value: median(alternative) },
    limit: { name: "bare uWS publish", value: median(limit) },
  }
  const line = { what, unit: "deliveries/s", ours: median(ours), ...figures }
  return [
    { ...line, ratio: { to: "bare uWS", value: medianRatio(ours, limit) }, goal: { share: 0.5 } },
    { ...line, what: "  the same", ratio: { to: "ws", value: medianRatio(ours, alternative) }, goal: { share: 10 } },
  ]
}

const latencyLines = (what: string, late: ReadonlyArray<number>, goal?: number): ReadonlyArray<Line> => [
  { what: `${what}, p50 of ${late.length}`, unit: "ms", ours: quantile(late, 0.5) },
  { what: "  p99", unit: "ms", ours: quantile(late, 0.99), ...(goal === undefined ? {} : { goal: { most: goal } }) },
]

/** What the gateway does for many sockets: the same to all, to each its own, to those who come back, beside slow ones. */
export const streams: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const env = { ...environment, HOST: "127.0.0.1", WS_PORT: "0", WS_ACCEPT_RATE: "2000" }
  const ours = yield* startSubject<StreamSubject>("ours/streams.ts", env, "120 seconds")
  const fills = yield* ours.ask("prepare")
  const where = yield* ours.ask("listen")
  const crowd = yield* startSubject<SocketsSubject>("support/sockets.ts")

  const before = yield* ours.ask("use")
  yield* crowd.ask("open", { ...where, messages: [], count: idle })
  const after = yield* ours.ask("use")
  const perIdle = ((after.megabytes - before.megabytes) * 1000) / idle
  yield* crowd.ask("close")

  const pairs = yield* ours.ask("pairs", 2000)
  // Where the world has fewer pairs than there are sockets, another token beside makes the filter another.
  const distinct = Array.from({ length: 2000 }, (_, i) => {
    const { wallet, token } = pairs[i % pairs.length] ?? { wallet: "", token: "" }
    return subscribe({ type: "fills", filters: { wallets: [wallet], tokens: [token, String(i)] } })
  })
  yield* crowd.ask("open", { ...where, messages: distinct, count: 2000, until: "subscribed" })
  const watch = Effect.fnUntraced(function* (seconds: number) {
    yield* crowd.ask("begin")
    const start = yield* ours.ask("use")
    const told: ReadonlyArray<Told> = yield* ours.ask("trickle", 500, seconds)
    yield* Effect.sleep("1 second")
    const end = yield* ours.ask("use")
    const late = yield* crowd.ask("lateness", told)
    return { late, cpu: (end.cpuSeconds - start.cpuSeconds) / (seconds + 1) }
  })
  yield* watch(3)
  const filtered = yield* watch(10)
  yield* crowd.ask("close")

  yield* crowd.ask("open", { ...where, messages: [allFills], count: 200, until: "subscribed" })
  yield* watch(3)
  const [calm, beside]: [Array<number>, Array<number>] = [[], []]
  let late: ReadonlyArray<number> = []
  for (let round = 0; round < rounds; round++) {
    const quiet = yield* watch(5)
    late = late.concat(quiet.late)
    calm.push(quantile(quiet.late, 0.99))
    yield* crowd.ask("stall", 20)
    beside.push(quantile((yield* watch(5)).late, 0.99))
    yield* crowd.ask("unstall")
    yield* Effect.sleep("1 second")
  }
  yield* crowd.ask("close")

  const position = yield* ours.ask("position")
  yield* ours.ask("tell", 200)
  const resume = subscribe({ type: "fills", resume: position })
  const resumed = yield* crowd.ask("open", { ...where, messages: [resume], count: 5000, until: "caught_up" })
  yield* crowd.ask("close")

  const small = yield* fanOut(1000, ours, where)
  const large = yield* fanOut(5000, ours, where)
  const faults = small.gateway.faults + large.gateway.faults

  return {
    lines: [
      ...fanOutLines(small),
      ...fanOutLines(large),
      ...latencyLines("committed → received, 200 sockets, 500 fills/s", late, 50),
      {
        what: "  p99 while a tenth does not read",
        unit: "ms",
        ours: median(beside),
        alternative: { name: "all read", value: median(calm) },
        goal: { most: median(calm) * 1.2 },
      },
      ...latencyLines("committed → received, 2,000 filters, 500 fills/s", filtered.late),
      { what: "  CPU of the gateway, relay and writer", unit: "cores", ours: filtered.cpu },
      { what: "memory per idle connection", unit: "KB", ours: perIdle, goal: { most: 10 } },
      { what: "5,000 come back at once, all resumed", unit: "s", ours: resumed / 1000, goal: { most: 10 } },
    ],
    notes: [
      `${fills} real fills of a tiny world, told again and again through the log, Redis and the feed; ${faults} missing, twice or out of order`,
      "the rivals send bytes that are ready; the receivers, Postgres and Redis share the two cores with all of them",
    ],
    rounds: { small, large, calm, beside, filtered, resumed, perIdle },
  }
}).pipe(withStores)
