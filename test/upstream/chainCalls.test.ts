import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { busyRange, fault, logsOf, serverBefore } from "./chain/nodes.ts"

interface Call {
  readonly method: string
}

/** The node that the ledger reads, and the methods of all calls to it. */
const countedNode = Effect.fnUntraced(function* (venue: string, hasLogs = true) {
  const calls: Array<string> = []
  const address = yield* serverBefore(venue, (answer, asked) => {
    const request: Call | ReadonlyArray<Call> = JSON.parse(asked)
    calls.push(...[request].flat().map(({ method }) => method))
    if (hasLogs || !asked.includes("eth_getLogs")) return answer
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), result: [] }) }
  })
  const node = consistentNode.pipe(
    Layer.provide(upstreamsAt(venue)),
    Layer.provide(testConfiguration({ "upstream.rpc-url": address })),
    Layer.merge(Logger.layer([])),
  )
  return { calls, node }
})

const timesOf = (calls: ReadonlyArray<string>) => ({
  logs: calls.filter((method) => method === "eth_getLogs").length,
  blocks: calls.filter((method) => method === "eth_getBlockByNumber").length,
})

describe("The calls to the node", () => {
  it.live("for the newest block are itself and its logs, which confirm its time", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(64)
      busyRange(simulation)
      const { calls, node } = yield* countedNode(url)
      yield* Effect.gen(function* () {
        const { head, blockLogs } = yield* ChainNode
        const newest = yield* head
        assert.isNotEmpty((yield* blockLogs([newest]))?.logs)
        assert.deepStrictEqual(timesOf(calls), { logs: 1, blocks: 1 })
        yield* blockLogs([newest])
        assert.deepStrictEqual(timesOf(calls), { logs: 2, blocks: 1 })
      }).pipe(Effect.provide(node))
    }),
  )

  it.live("for the newest block include it once more if it has no logs", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(64)
      busyRange(simulation)
      const { calls, node } = yield* countedNode(url, false)
      yield* Effect.gen(function* () {
        const { head, blockLogs } = yield* ChainNode
        assert.deepStrictEqual((yield* blockLogs([yield* head]))?.logs, [])
        assert.deepStrictEqual(timesOf(calls), { logs: 1, blocks: 2 })
      }).pipe(Effect.provide(node))
    }),
  )

  it.live("for a narrow range are its logs, and its last block twice", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(64)
      const { to } = busyRange(simulation)
      yield* fault(url, { upstream: "rpc", channel: "http", kind: "alchemy-free", range: 4, units_per_second: 100_000 })
      const { calls, node } = yield* countedNode(url)
      yield* Effect.gen(function* () {
        yield* Effect.exit(logsOf({ from: to - 9, to }))
        calls.length = 0
        assert.isAbove((yield* logsOf({ from: to - 3, to })).count, 0)
        assert.deepStrictEqual(timesOf(calls), { logs: 1, blocks: 2 })
      }).pipe(Effect.provide(node))
    }),
  )
})
