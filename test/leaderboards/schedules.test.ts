import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import type { Ledger } from "#src/ledger/Ledger.ts"
import { Leases } from "#src/mesh/Lease.ts"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertRollingExact } from "./support/expected.ts"
import { changes, makeApply, reset } from "./support/synthetic.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const stores = ledger.pipe(Layer.provideMerge(testFoundation({ "leaderboards.rebuild-after": "30d" })))

layer(stores, { excludeTestServices: true })("Rolling boards", (it) => {
  it.effect(
    "equal the sum of all events in the window after any sequence of changes and refreshes",
    () =>
      Effect.gen(function* () {
        const lease = yield* (yield* Leases).seize("chain")
        const apply = makeApply(lease)
        const context = yield* Effect.context<Ledger | Postgres | Configuration>()
        let runs = 0
        const done = new Map<string, number>()
        const holds = fc.asyncProperty(changes, (list) =>
          Effect.runPromiseWith(context)(
            Effect.gen(function* () {
              yield* reset
              runs += 1
              for (const change of [...list, { kind: "refresh" } as const]) {
                yield* apply(change)
                if (change.kind !== "refresh") continue
                const did = yield* refreshLeaderboards
                done.set(did, (done.get(did) ?? 0) + 1)
                yield* assertRollingExact(did)
              }
            }),
          ),
        )
        yield* Effect.promise(() => fc.assert(holds, { numRuns: isSoak ? 500 : 12 }))
        // Once per run, and again in the few runs with more than 30 days between two refreshes.
        const rebuilt = done.get("rebuilt") ?? 0
        assert.isAtLeast(rebuilt, runs)
        assert.isBelow(rebuilt, runs * 1.1)
        assert.isAbove(done.get("advanced") ?? 0, runs)
        assert.isAbove(done.get("unchanged") ?? 0, 0)
      }),
    1_800_000,
  )
})
