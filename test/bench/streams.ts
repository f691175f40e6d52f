import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import { median, medianRatio, quantile } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import type { ClientGroup, Committed, SocketsSubject, StreamServer, StreamSubject } from "./support/streams.ts"

const rounds = 3
/** Deliveries per round, independent of the number of sockets; fewer for the much slower alternative. */
const deliveries = { ours: 2_000_000, limit: 2_000_000, alternative: 200_000 }
const within = 60_000
const idle = 5000

const subscribe = (more: object) => JSON.stringify({ action: "subscribe", ...more })
const allFills = subscribe({ type: "fills" })

type Address = Pick<ClientGroup, "port" | "path">

const perSecond = (count: number, millis: number) => (count * 1000) / millis

/** The gateway, the limit and the alternative, one after the other, each with its own sockets. */
const fanOut = Effect.fnUntraced(function* (
  sockets: number,
  ours: Effect.Success<ReturnType<typeof startSubject<StreamSubject>>>,
  address: Address,
) {
  const clients = yield* startSubject<SocketsSubject>("support/sockets.ts")
  const measure = Effect.fnUntraced(function* (
    target: Address,
    messages: ReadonlyArray<string>,
    total: number,
    publish: (count: number) => Effect.Effect<void, Error>,
  ) {
    const count = Math.round(total / sockets)
    yield* clients.call("open", { ...target, messages, count: sockets, until: "subscribed" })
    const results: Array<number> = []
    let errors = 0
    for (let round = 0; round <= rounds; round++) {
      yield* clients.call("reset")
      yield* publish(count)
      const received = yield* clients.call("received", count * sockets, within)
      errors += received.errors + Math.abs(received.deliveries - count * sockets)
      // The first round is a warm-up.
      if (round > 0) results.push(perSecond(received.deliveries, received.millis))
    }
    const sample = yield* clients.call("sample")
    yield* clients.call("close")
    return { results, errors, sample }
  })
  const gateway = yield* measure(address, [allFills], deliveries.ours, (count) => ours.call("publish", count))
  const rival = Effect.fnUntraced(function* (file: string, total: number) {
    const server = yield* startSubject<StreamServer>(file)
    const target = yield* server.call("listen")
    return yield* measure(target, [], total, (count) => server.call("publish", count, gateway.sample))
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
    {
      ...line,
      what: "  compared to ws",
      ratio: { to: "ws", value: medianRatio(ours, alternative) },
      goal: { share: 10 },
    },
  ]
}

const latencyLines = (what: string, late: ReadonlyArray<number>, goal?: number): ReadonlyArray<Line> => [
  { what: `${what}, p50 of ${late.length}`, unit: "ms", ours: quantile(late, 0.5) },
  { what: "  p99", unit: "ms", ours: quantile(late, 0.99), ...(goal === undefined ? {} : { goal: { most: goal } }) },
]

/** The gateway with many sockets: fan-out, distinct filters, resumption, and slow readers. */
export const streams: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const env = { ...environment, HOST: "127.0.0.1", WS_PORT: "0", WS_ACCEPT_RATE: "2000" }
  const ours = yield* startSubject<StreamSubject>("ours/streams.ts", env, "120 seconds")
  const fills = yield* ours.call("prepare")
  const address = yield* ours.call("listen")
  const clients = yield* startSubject<SocketsSubject>("support/sockets.ts")

  const before = yield* ours.call("usage")
  yield* clients.call("open", { ...address, messages: [], count: idle })
  const after = yield* ours.call("usage")
  const perIdle = ((after.megabytes - before.megabytes) * 1000) / idle
  yield* clients.call("close")

  const pairs = yield* ours.call("pairs", 2000)
  // If the world has fewer pairs than sockets, an additional token makes each filter distinct.
  const distinct = Array.from({ length: 2000 }, (_, i) => {
    const { wallet, token } = pairs[i % pairs.length] ?? { wallet: "", token: "" }
    return subscribe({ type: "fills", filters: { wallets: [wallet], tokens: [token, String(i)] } })
  })
  yield* clients.call("open", { ...address, messages: distinct, count: 2000, until: "subscribed" })
  const measureLatency = Effect.fnUntraced(function* (seconds: number) {
    yield* clients.call("reset")
    const start = yield* ours.call("usage")
    const committed: ReadonlyArray<Committed> = yield* ours.call("trickle", 500, seconds)
    yield* Effect.sleep("1 second")
    const end = yield* ours.call("usage")
    const late = yield* clients.call("lateness", committed)
    return { late, cpu: (end.cpuSeconds - start.cpuSeconds) / (seconds + 1) }
  })
  yield* measureLatency(3)
  const filtered = yield* measureLatency(10)
  yield* clients.call("close")

  yield* clients.call("open", { ...address, messages: [allFills], count: 200, until: "subscribed" })
  yield* measureLatency(3)
  const [allReading, withPaused]: [Array<number>, Array<number>] = [[], []]
  let late: ReadonlyArray<number> = []
  for (let round = 0; round < rounds; round++) {
    const quiet = yield* measureLatency(5)
    late = late.concat(quiet.late)
    allReading.push(quantile(quiet.late, 0.99))
    yield* clients.call("pause", 20)
    withPaused.push(quantile((yield* measureLatency(5)).late, 0.99))
    yield* clients.call("resume")
    yield* Effect.sleep("1 second")
  }
  yield* clients.call("close")

  const position = yield* ours.call("position")
  yield* ours.call("publish", 200)
  const resume = subscribe({ type: "fills", resume: position })
  const resumed = yield* clients.call("open", { ...address, messages: [resume], count: 5000, until: "caught_up" })
  yield* clients.call("close")

  const small = yield* fanOut(1000, ours, address)
  const large = yield* fanOut(5000, ours, address)
  const errors = small.gateway.errors + large.gateway.errors

  return {
    lines: [
      ...fanOutLines(small),
      ...fanOutLines(large),
      ...latencyLines("committed → received, 200 sockets, 500 fills/s", late, 50),
      {
        what: "  p99 while 10 % of the sockets do not read",
        unit: "ms",
        ours: median(withPaused),
        alternative: { name: "all read", value: median(allReading) },
        goal: { most: median(allReading) * 1.2 },
      },
      ...latencyLines("committed → received, 2,000 filters, 500 fills/s", filtered.late),
      { what: "  CPU of the gateway, relay and writer", unit: "cores", ours: filtered.cpu },
      { what: "memory per idle connection", unit: "KB", ours: perIdle, goal: { most: 10 } },
      { what: "5,000 sockets reconnect, until all are resumed", unit: "s", ours: resumed / 1000, goal: { most: 10 } },
    ],
    notes: [
      `${fills} real fills of a tiny world, repeated through the log, Redis and the feed; ${errors} missing, duplicated or out of order`,
      "the rivals send prepared bytes; the receivers, Postgres and Redis share the two cores with the servers",
    ],
    rounds: { small, large, allReading, withPaused, filtered, resumed, perIdle },
  }
}).pipe(withStores)
