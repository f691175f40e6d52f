import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { nodeLimitsInPostgres } from "#src/ledger/NodeLimitStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { nodeKey } from "#src/upstream/chain/KeptLimits.ts"
import { keepLimits } from "#src/upstream/chain/keepLimits.ts"
import { NodeLimits } from "#src/upstream/chain/NodeLimits.ts"
import { eventually } from "#test/support/eventually.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"
import { type Answer, busyRange, fault, logsOf, serverBefore } from "./chain/nodes.ts"

/** Not a rate limit, and not a node that lags. */
const isTooMuch = ({ body }: Answer) => /batch too large|up to a \d+ block range/.test(body)

/** A process that uses the node at an address. */
const startedWith = (venue: string, address: string) =>
  ChainNode.layer.pipe(
    Layer.provide(nodeLimitsInPostgres),
    Layer.provide(upstreamsAt(venue)),
    Layer.provide(testConfiguration({ "upstream.rpc-url": address })),
    Layer.merge(Logger.layer([])),
  )

/** Profiles of nodes, with the limits that are stored. */
const profiles = [
  ["alchemy-free", { range: 8 }, { calls: 100, blocks: 8 }],
  ["bor", { batch: 6 }, { calls: 6, blocks: null }],
] as const

layer(Layer.merge(testFoundation(), venueShared(63)), { excludeTestServices: true })("What a node refuses", (it) => {
  for (const [kind, limits, stored] of profiles) {
    it.effect(`is not asked for again after a restart (${kind}), unless a day has passed`, () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const { url, simulation } = yield* sharedVenue
        const { to } = busyRange(simulation)
        yield* fault(url, { upstream: "rpc", channel: "http", kind, ...limits })
        const refused: Array<string> = []
        const address = yield* serverBefore(url, (answer, asked) => {
          if (isTooMuch(answer)) refused.push(asked)
          return answer
        })
        const use = Effect.gen(function* () {
          const node = yield* ChainNode
          const headers = yield* node.headers(Array.from({ length: 24 }, (_, i) => to - i))
          assert.notInclude(headers, undefined)
          for (const blocks of [24, 12]) yield* Effect.exit(logsOf({ from: to - blocks + 1, to }))
          return yield* logsOf({ from: to - 3, to })
        })
        const kept = sql<{
          calls: number
          blocks: number | null
        }>`select calls, blocks from node_limit where node = ${nodeKey(address)}`
        const isKept = eventually(
          "the limits are stored",
          Effect.map(kept, ([row]) => row?.calls === stored.calls && row.blocks === stored.blocks),
        )
        const restarted = Effect.gen(function* () {
          refused.length = 0
          const { count } = yield* Effect.scoped(Effect.provide(use, startedWith(url, address)))
          return { count, refused: refused.length }
        })
        const first = yield* Effect.gen(function* () {
          const { count } = yield* use
          yield* isKept
          return count
        }).pipe(Effect.provide(startedWith(url, address)), Effect.scoped)
        assert.isAbove(refused.length, 0)
        assert.isAbove(first, 0)
        assert.deepStrictEqual(yield* restarted, { count: first, refused: 0 })

        yield* sql`update node_limit set learnt_at = now() - interval '25 hours'`
        assert.isAbove((yield* restarted).refused, 0)
        yield* isKept

        // A smaller limit than the stored one replaces it.
        yield* sql`update node_limit set calls = calls * 2, blocks = blocks * 2, learnt_at = now()`
        assert.isAbove((yield* restarted).refused, 0)
        yield* isKept
      }),
    )
  }
})

describe("What was learnt of a node", () => {
  it.effect("is forgotten a day after its last refusal", () =>
    Effect.gen(function* () {
      const limits = new NodeLimits(() => 8)
      yield* keepLimits([{ url: "https://node.example.com/v2/key", limits }])
      limits.refusedBatch(40, { meaning: "batch-too-large" })
      yield* TestClock.adjust("23 hours")
      limits.refusedRange(100, { meaning: "too-wide", maxBlocks: 10 })
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual([limits.calls, limits.blocks], [20, 10])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([limits.calls, limits.blocks], [100, undefined])
    }).pipe(Effect.scoped),
  )

  it("is kept without credentials, and not for another key", () => {
    const key = nodeKey("https://me:hush@node.example.com/v2/key")
    assert.match(key, /^[0-9a-f]{32}$/)
    assert.strictEqual(key, nodeKey("https://node.example.com/v2/key"))
    assert.notStrictEqual(key, nodeKey("https://node.example.com/v2/other"))
  })
})
