import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { rpcService } from "#src/simulator/chain/rpc/rpcService.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { toText } from "#src/simulator/wire.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { eventually } from "#test/support/eventually.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { upstreamsAt } from "#test/support/venue.ts"
import { metric } from "#test/ws/support/gateway.ts"
import { type Answer, busyRange, logsOf, nodeAt, rpcServer, serverBefore } from "./chain/nodes.ts"

/** Real nodes at these addresses, as someone configures them. */
const nodesAt = (urls: ReadonlyArray<string>, flags: Record<string, string> = {}) =>
  ChainNode.layer.pipe(
    Layer.provide(upstreamsAt("http://127.0.0.1:1")),
    Layer.provide(testConfiguration({ upstream: "polymarket", "upstream.rpc-url": urls.join(", "), ...flags })),
    Layer.merge(Logger.layer([])),
  )

const down: Answer = { status: 503, body: "unavailable" }

/** A node whose state can change: whether it answers, and how many blocks it lacks. */
const switchable = (simulation: Simulation) => {
  const state = { isDown: false, behind: 0, asked: [] as Array<string> }
  const answer = (asked: string): Answer => {
    state.asked.push(asked)
    if (state.isDown) return down
    const request = { method: "POST", path: "/", query: new URLSearchParams(), target: "/", headers: {}, body: asked }
    const { status, body } = rpcService(simulation)(request, state.behind)
    return { status, body: toText(body) }
  }
  return Effect.map(rpcServer(answer), (url) => ({ state, url }))
}

layer(venueShared(71), { excludeTestServices: true })("Several nodes", (it) => {
  it.effect("answer for each other when one fails, and the first is asked again later", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const expected = yield* logsOf(range).pipe(Effect.provide(nodeAt(url)))
      const first = yield* switchable(simulation)
      const second = yield* switchable(simulation)
      const read = Effect.gen(function* () {
        const node = yield* ChainNode
        const headers = yield* node.headers([range.to, range.from])
        return { logs: yield* logsOf(range), found: headers.map((header) => header?.number) }
      })
      yield* Effect.gen(function* () {
        const all = { logs: expected, found: [range.to, range.from] }
        assert.deepStrictEqual(yield* read, all)
        const spare = second.state.asked.length
        assert.deepStrictEqual(yield* read, all)
        assert.strictEqual(second.state.asked.length, spare, "the first node is preferred")
        first.state.isDown = true
        for (let i = 0; i < 5; i++) assert.deepStrictEqual(yield* read, all)
        first.state.isDown = false
        second.state.isDown = true
        assert.deepStrictEqual(yield* read, all)
      }).pipe(Effect.provide(nodesAt([first.url, second.url], { "upstream.rpc.attempts": "6" })))
    }),
  )

  it.effect("are not asked for the newest blocks while they are behind the others", () =>
    Effect.gen(function* () {
      const { simulation } = yield* sharedVenue
      simulation.freeze()
      const first = yield* switchable(simulation)
      const second = yield* switchable(simulation)
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        assert.strictEqual((yield* node.head).number, simulation.head)
        first.state.behind = 20
        simulation.advance(20_000)
        yield* eventually(
          "the newest block",
          Effect.map(node.head, ({ number }) => number === simulation.head),
        )
        const newest = yield* node.header(simulation.head)
        assert.strictEqual(newest?.number, simulation.head)
        const logs = newest === undefined ? undefined : yield* node.blockLogs([newest])
        assert.isDefined(logs)
      }).pipe(Effect.provide(nodesAt([first.url, second.url])))
    }),
  )

  it.effect("of different plans read a range with the one that accepts it", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const narrow = yield* serverBefore(url, (answer, asked) =>
        asked.includes("eth_getLogs")
          ? { status: 400, body: '{"id":0,"error":{"code":-32600,"message":"up to a 2 block range"}}' }
          : answer,
      )
      const expected = yield* logsOf(range).pipe(Effect.provide(nodeAt(url)))
      const found = yield* logsOf(range).pipe(Effect.provide(nodesAt([narrow, `${url}/rpc`])))
      assert.deepStrictEqual(found, expected)
    }),
  )

  it.effect("on another chain are an error at start that names the node without its key", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const other = yield* rpcServer(() => ({ status: 200, body: '{"jsonrpc":"2.0","id":0,"result":"0x1"}' }))
      const both = nodesAt([`${url}/rpc`, `${other}/v2/secret-key`])
      const failure = yield* ChainNode.use((node) => node.head).pipe(Effect.provide(both), Effect.flip)
      assert.strictEqual(failure._tag, "WrongChain")
      assert.include(failure.message, new URL(other).host)
      assert.include(failure.message, "chain 1;")
      assert.notInclude(failure.message, "secret-key")
    }),
  )

  it.effect("count their calls by host, so that a plan can be chosen", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const host = new URL(url).host
      const counted = (method: string) => metric("presage_rpc_calls_total", { node: host, method })
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        const newest = yield* node.head
        const before = yield* counted("eth_getLogs")
        yield* node.blockLogs([newest])
        assert.strictEqual((yield* counted("eth_getLogs")) - before, 1, "one call for one block")
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})
