import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { caughtUp, ledger } from "#test/ledger/support/following.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { fault } from "#test/upstream/chain/nodes.ts"
import { metric } from "#test/ws/support/gateway.ts"
import { assertBalances, assertSound, reachesBack, startHistory, startPausable } from "./support/reading.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
/** Blocks of history, if not all: with tight limits more take long. */
const reach = 1_500

/** Limits as tight as a small world needs them to matter. The first two together have every kind of limit but units. */
const profiles: ReadonlyArray<readonly [kind: string, http: object, socket: object]> = [
  ["publicnode", { range: 2_000, heavy_blocks: 300 }, { messages: 10 }],
  ["bor", { batch: 5, response_kb: 150, lag_blocks: 3 }, {}],
  ["alchemy-free", { range: 40, units_per_second: 4_000 }, {}],
  ["drpc-free", { range: 300 }, {}],
]

describe("A ledger follows the head and reads history behind it without a restart", () => {
  for (const [kind, http, socket] of isSoak ? profiles : profiles.slice(0, 2)) {
    it.live(`from ${kind}`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(31, { rate: isSoak ? 20 : 4 })
        simulation.settle()
        yield* fault(url, { upstream: "rpc", channel: "http", kind, ...http })
        yield* fault(url, { upstream: "rpc", channel: "socket", kind, ...socket })
        const first = isSoak ? firstBlock : simulation.head - reach
        yield* Effect.gen(function* () {
          // Neither is supervised: they would end with their first failure.
          const following = yield* startPausable
          yield* caughtUp(simulation, following)
          const reading = yield* startHistory
          for (let i = 0; i < (isSoak ? 5 : 3); i++) {
            simulation.advance(6_000)
            yield* caughtUp(simulation, following)
          }
          yield* reachesBack(first, reading)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertBalances
          yield* assertSound
          if (isSoak) yield* assertEqualsTruth(simulation)
          assert.strictEqual(yield* metric("presage_upstream_circuit_open", { upstream: "rpc" }), 0)
        }).pipe(
          Effect.scoped,
          Effect.provide(
            Layer.merge(ledger, consistentNode.pipe(Layer.provide(upstreamsAt(url)))).pipe(
              Layer.provideMerge(
                testFoundation({
                  "upstream.rpc.attempts": "2",
                  "ledger.history": `since:${first}`,
                  "ledger.history-order": "newest-first",
                }),
              ),
            ),
          ),
        )
      }),
    )
  }
})
