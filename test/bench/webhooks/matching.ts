import { Effect } from "effect"
import { wallet } from "#test/webhooks/support/handChain.ts"
import type { Line } from "../support/report.ts"
import { startSubject } from "../support/Subject.ts"
import { quantile } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import type { FactsSubject, PollingSubject, ReceiverSubject, WantedHook } from "../support/webhooks.ts"
import { latenessOf } from "./lateness.ts"

const many = { hooks: 10_000, seconds: 20 }
const few = { hooks: 100, seconds: 10 }
const matches = 3
const endpoints = 20
const blocksPerSecond = 5
const perSecond = 500
/** The first look gets to know the webhooks. */
const warmUp = 4
/** As long as a question may take. */
const within = 55_000

/** Each watches so many wallets, no two the same, so that every trade is for so many of them. */
const distinctHooks = (count: number, urls: ReadonlyArray<string>): ReadonlyArray<WantedHook> =>
  Array.from({ length: count }, (_, i) => ({
    url: urls[i % urls.length] ?? "",
    type: "trade",
    filters: { wallet_addresses: Array.from({ length: matches }, (_, next) => wallet(1 + ((i + next) % count))) },
  }))

const withHooks = Effect.fnUntraced(function* ({ hooks, seconds }: typeof many) {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.ask("listen", endpoints)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", WEBHOOKS_CONFIRMATIONS: "0", LOG_LEVEL: "error" }
  const facts = yield* startSubject<FactsSubject>("ours/webhookFacts.ts", env)
  yield* facts.ask("hooks", distinctHooks(hooks, urls))
  const worker = yield* startSubject<PollingSubject>("ours/webhookPolling.ts", env)
  yield* worker.ask("work")
  const pace = { blocksPerSecond, fillsPerBlock: perSecond / blocksPerSecond, wallets: hooks, splitters: 0 }
  const owedBy = (blocks: number) => blocks * pace.fillsPerBlock * matches
  const warm = yield* facts.ask("mine", pace, warmUp)
  yield* receiver.ask("received", owedBy(warm.length), within)

  yield* receiver.ask("begin")
  const before = yield* worker.ask("use")
  const told = yield* facts.ask("mine", pace, seconds)
  const got = yield* receiver.ask("received", owedBy(told.length), within)
  const after = yield* worker.ask("use")
  const arrivals = yield* receiver.ask("arrivals")
  const events = told.length * pace.fillsPerBlock
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds
  const [firstArrival, lastArrival] = [arrivals.at(0)?.at ?? 0, arrivals.at(-1)?.at ?? 0]
  return {
    events,
    faults: owedBy(told.length) - got.distinct + got.twice + got.unsigned,
    cores: cpuSeconds / seconds,
    microsPerEvent: (cpuSeconds * 1e6) / events,
    matched: latenessOf(
      told,
      arrivals.map((each) => ({ ...each, at: each.owedAt })),
    ),
    late: latenessOf(told, arrivals),
    perSecond: (arrivals.length * 1000) / (lastArrival - firstArrival),
    lag: (lastArrival - (told.at(-1)?.at ?? 0)) / 1000,
  }
}, withStores)

/** Trades against many webhooks, and against few that are as often concerned. */
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
      what: "  the same, with what it takes to send them",
      unit: "µs/event",
      ours: large.microsPerEvent,
      alternative: { name: other, value: small.microsPerEvent },
      ratio: { to: other, value: large.microsPerEvent / small.microsPerEvent },
    },
    {
      what: "  committed → owed in rows, looked for every 3 s, p99",
      unit: "ms",
      ours: quantile(large.matched, 0.99),
      alternative: { name: other, value: quantile(small.matched, 0.99) },
      goal: { most: 4000 },
    },
    {
      what: `  delivered, of ${perSecond * matches} a second`,
      unit: "deliveries/s",
      ours: large.perSecond,
      alternative: { name: other, value: small.perSecond },
    },
    {
      what: "  the last one received after the last commit",
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
