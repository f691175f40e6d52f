import { Effect } from "effect"
import { market, wallet } from "#test/webhooks/support/handChain.ts"
import type { Line } from "../support/report.ts"
import { startSubject } from "../support/Subject.ts"
import { quantile } from "../support/statistics.ts"
import { BenchStores, withStores } from "../support/stores.ts"
import type { Committed, FactsSubject, HookRequest, PollingSubject, ReceiverSubject } from "../support/webhooks.ts"
import { latenessOf } from "./lateness.ts"

const splitter = wallet(1_000_000)
const confirmations = 3
/** Two polls of the slowest cadence. */
const seconds = 62
const pace = { blocksPerSecond: 4, fillsPerBlock: 5, wallets: 50, splitters: 1 }

const cadences = [
  { type: "trade", seconds: 3, filters: {} },
  { type: "price_change", seconds: 10, filters: { token_ids: [market.token] } },
  { type: "split", seconds: 15, filters: { wallet_addresses: [splitter] } },
  { type: "position_status_change", seconds: 30, filters: { wallet_addresses: [splitter] } },
] as const satisfies ReadonlyArray<Omit<HookRequest, "url"> & { readonly seconds: number }>

/** When each block had enough confirmations. */
const confirmedAt = (committed: ReadonlyArray<Committed>): ReadonlyArray<Committed> =>
  committed.flatMap(({ block }, i) => {
    const after = committed[i + confirmations]
    return after === undefined ? [] : [{ block, at: after.at }]
  })

/** From the commit that confirms a fact to the arrival of its delivery, at all production cadences concurrently. */
export const cadenceLateness = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const receiver = yield* startSubject<ReceiverSubject>("support/webhookReceiver.ts")
  const urls = yield* receiver.call("listen", cadences.length)
  const env = { ...environment, WEBHOOKS_ALLOW_INSECURE: "true", LOG_LEVEL: "error" }
  const facts = yield* startSubject<FactsSubject>("ours/webhookFacts.ts", env, "90 seconds")
  // The names must exist before webhooks filter by them.
  yield* facts.call("mine", pace, 1)
  yield* facts.call(
    "hooks",
    cadences.map(({ type, filters }, i) => ({ url: urls[i] ?? "", type, filters })),
  )
  const worker = yield* startSubject<PollingSubject>("ours/webhookPolling.ts", env)
  yield* worker.call("work")
  yield* receiver.call("reset")
  const before = yield* worker.call("usage")
  const committed = yield* facts.call("mine", pace, seconds)
  const after = yield* worker.call("usage")
  yield* Effect.sleep("1 second")
  const arrivals = yield* receiver.call("arrivals")
  const confirmed = confirmedAt(committed)
  const waits = confirmed.map(({ at }, i) => at - (committed[i]?.at ?? 0))
  const found = cadences.map(({ type, seconds }) => ({
    type,
    seconds,
    late: latenessOf(
      confirmed,
      arrivals.filter((each) => each.type === type),
    ),
  }))
  const lines = found.flatMap(({ type, seconds, late }): ReadonlyArray<Line> => {
    const expected = (share: number) => ({ name: "wait for the poll", value: seconds * 1000 * share })
    return [
      {
        what: `confirmed → received, ${type}, every ${seconds} s, p50 of ${late.length}`,
        unit: "ms",
        ours: quantile(late, 0.5),
        limit: expected(0.5),
      },
      { what: "  p99", unit: "ms", ours: quantile(late, 0.99), limit: expected(0.99) },
    ]
  })
  const cores = (after.cpuSeconds - before.cpuSeconds) / seconds
  return { lines, confirmationWait: quantile(waits, 0.5), cores, rounds: found }
}).pipe(withStores)
