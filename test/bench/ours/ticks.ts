import { Effect, Layer, ManagedRuntime } from "effect"
import { ApiServer } from "#http/Server.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { serving } from "#test/http/support/serving.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { expose } from "../support/expose.ts"
import { monitorSelf } from "../support/monitorSelf.ts"
import { dayMillis, days, firstMoment, type TicksSubject } from "../support/ticks.ts"
import { configuration } from "./foundation.ts"
import { listenWithKey } from "./listenWithKey.ts"

/** The production server, with the full path of a request with a key. */
const runtime = ManagedRuntime.make(
  ApiServer.pipe(Layer.provideMerge(serving), Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

const ticksPerRecording = 5_000

/** Stores the ticks as a follower does. */
const fill = Effect.gen(function* () {
  const store = yield* TickStore
  const lease = yield* (yield* Leases).seize("ticks/bench")
  const all = Array.from({ length: days * 86_400 }, (_, second) => {
    const price = 9_712_345_000_000n + BigInt((second * 7919) % 100_000_007)
    const at = firstMoment + second * 1000
    return { coin: "BTC" as const, at, receivedAt: at, ...quoteOf(price, price - 100_000_000n, price + 100_000_000n) }
  })
  // Far ahead, so that all of these days are complete.
  const [last] = all.slice(-1)
  const later = last === undefined ? [] : [{ ...last, at: last.at + dayMillis }]
  for (let from = 0; from < all.length; from += ticksPerRecording) {
    const ticks = all.slice(from, from + ticksPerRecording)
    yield* store.record(lease, "oracle_data_streams", { ticks, settled: [], areNew: true })
  }
  yield* store.record(lease, "oracle_data_streams", { ticks: later, settled: [], areNew: true })
  yield* (yield* Postgres).sql`vacuum analyze tick`
})

expose<TicksSubject>({
  fill: () => runtime.runPromise(Effect.provide(fill, TickStore.layer)),
  listen: () => runtime.runPromise(listenWithKey),
  ...monitorSelf(),
})
