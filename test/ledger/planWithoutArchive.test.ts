import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { assertBalances, assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { fault } from "#test/upstream/chain/nodes.ts"
import { caughtUp, ledger } from "./support/following.ts"

const keptBlocks = 127

const settings = {
  "upstream.rpc.attempts": "2",
  "ledger.history": "30d",
  "ledger.history-order": "newest-first",
}

describe("A node whose plan has no old blocks", () => {
  it.live("is followed from its first start, and again when the ledger's first block has become too old", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(57)
      simulation.settle()
      yield* fault(url, { upstream: "rpc", channel: "http", kind: "chainstack", kept_blocks: keptBlocks, range: 1_000 })
      const live = Effect.gen(function* () {
        const following = yield* startPausable
        for (let i = 0; i < 4; i++) {
          yield* caughtUp(simulation, following)
          simulation.advance(60_000)
          simulation.settle()
        }
        yield* caughtUp(simulation, following)
        yield* Fiber.interrupt(following)
      })
      yield* Effect.gen(function* () {
        yield* live
        const { facts } = yield* coverage
        assert.isBelow(facts.block, simulation.head - keptBlocks)
        yield* live
        assert.strictEqual((yield* coverage).facts.block, facts.block)
        yield* assertSound
        yield* assertBalances
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.merge(ledger, consistentNode.pipe(Layer.provide(upstreamsAt(url)))).pipe(
            Layer.provideMerge(testFoundation(settings)),
          ),
        ),
      )
    }),
  )
})
