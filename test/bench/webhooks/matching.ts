import { Effect } from "effect"
import { wallet } from "#test/webhooks/support/handChain.ts"
import type { Line } from "../support/report.ts"
import { startSubject } from "../support/Subject.ts"
import { quantile } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import type { FactsSubject, HookRequest, PollingSubject, ReceiverSubject } from "../support/webhooks.ts"
import { latenessOf } from "./lateness.ts"

const many = { hooks: 10_000, seconds: 20 }
const few = { hooks: 100, seconds: 10 }
const matches = 3
const endpoints = 20
const blocksPerSecond = 5
const perSecond = 500
/** The first poll loads the webhooks. */
const warmUp = 4
/** Just below the timeout of a call. */
const within = 55_000

/** Each watches a distinct set of wallets, so that every trade matches `matches` webhooks. */
const distinctHooks = (count: number, urls: ReadonlyArray<string>): ReadonlyArray<HookRequest> =>
  Array.from({ length: count }, (_, i) => ({
    url: urls[i % urls.length] ?? "",
    type: "trade",
    filters: { wallet_addresses: Array.from({ length: matches }, (_, next) => wallet(1 + ((i + next) % count))) },
  }))

const withHooks = Effect.fnUntraced(function* ({ hooks, seconds }: typeof many) {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.call("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", WEBHOOKS_CONFIRMATIONS: "0", LOG_LEVEL: "error" }
  const facts = yield* startSubject<FactsSubject>("ours/webhookFacts.ts", env)
  yield* facts.call("hooks", distinctHooks(hooks, urls))
  const worker = yield* startSubject<PollingSubject>("ours/webhookPolling.ts", env)
  yield* worker.call("work")
  const pace = { blocksPerSecond, fillsPerBlock: perSecond / blocksPerSecond, wallets: hooks, splitters: 0 }
  const expectedFrom = (blocks: number) => blocks * pace.fillsPerBlock * matches
  const warm = yield* facts.call("mine", pace, warmUp)
  yield* receiver.call("received", expectedFrom(warm.length), within)

  yield* receiver.call("reset")
  const before = yield* worker.call("usage")
  const committed = yield* facts.call("mine", pace, seconds)
  const received = yield* receiver.call("received", expectedFrom(committed.length), within)
  const after = yield* worker.call("usage")
  const arrivals = yield* receiver.call("arrivals")
  const events = committed.length * pace.fillsPerBlock
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds
  const [firstArrival, lastArrival] = [arrivals.at(0)?.at ?? 0, arrivals.at(-1)?.at ?? 0]
  return {
    events,
    faults: expectedFrom(committed.length) - received.distinct + received.duplicates + received.unsigned,
    cores: cpuSeconds / seconds,
    microsPerEvent: (cpuSeconds * 1e6) / events,
    matched: latenessOf(
      committed,
      arrivals.map((each) => ({ ...each, at: each.createdAt })),
    ),
    late: latenessOf(committed, arrivals),
    perSecond: (arrivals.length * 1000) / (lastArrival - firstArrival),
    lag: (lastArrival - (committed.at(-1)?.at ?? 0)) / 1000,
  }
}, withStores)

/** Trades matched against many webhooks, and against few with the same number of matches. */
export const matching = Effect.gen(function* () {
  const large = yield* withHooks(many)
  const small = yield* withHooks(few)
  const other = `${few.hooks} webhooks`
  const lines: ReadonlyArray<Line> = [
    {
      what: `${many.hooks.toLocaleString("en")} webhooks, ${perSecond} events/s, ${matches} matches each: CPU of the worker`,
      unit: "cores",
      ours: large.cores,
      alternative: { name: other, value: small.cores },
    },
    {
      what: "  CPU per event, including sending",
      unit: "µs/event",
      ours: large.microsPerEvent,
      alternative: { name: other, value: small.microsPerEvent },
      ratio: { to: other, value: large.microsPerEvent / small.microsPerEvent },
    },
    {
      what: "  committed → row written, polled every 3 s, p99",
      unit: "ms",
      ours: quantile(large.matched, 0.99),
      alternative: { name: other, value: quantile(small.matched, 0.99) },
      goal: { most: 4000 },
    },
    {
      what: `  delivered, of ${perSecond * matches}/s`,
      unit: "deliveries/s",
      ours: large.perSecond,
      alternative: { name: other, value: small.perSecond },
    },
    {
      what: "  last commit → last delivery received",
      unit: "s",
      ours: large.lag,
      alternative: { name: other, value: small.lag },
    },
  ]
  const { faults } = large
  return { lines, faults: faults + small.faults, rounds: { large: summary(large), small: summary(small) } }
})

const summary = ({ late, matched, ...figures }: Effect.Success<ReturnType<typeof withHooks>>) => ({
  ...figures,
  matched: [quantile(matched, 0.5), quantile(matched, 0.99)],
  late: [quantile(late, 0.5), quantile(late, 0.99)],
})
