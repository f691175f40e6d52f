import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { busyRange, fault, logsOf, nodeAt, nodeBefore, noFaults } from "./chain/nodes.ts"

const countOf = ([first, end]: readonly [number, number]) => end - first

layer(venueShared(43), { excludeTestServices: true })("ChainNode", (it) => {
  it.effect("returns the newest block and others, several at once, in the requested order", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        const top = simulation.head
        const expected = (number: number) => ({
          number,
          hash: simulation.chain.hashOf(number).slice(2),
          parentHash: simulation.chain.hashOf(number - 1).slice(2),
          at: simulation.model.world.clock.timestampOf(number) * 1000,
          transactions: countOf(simulation.chain.txRange(number)),
        })
        assert.deepStrictEqual(yield* node.head, expected(top))
        assert.deepStrictEqual(yield* node.header(firstBlock + 7), expected(firstBlock + 7))
        assert.isUndefined(yield* node.header(top + 1))
        const numbers = Array.from({ length: 256 }, (_, i) => top + 1 - i)
        const headers = yield* node.headers(numbers)
        assert.deepStrictEqual(headers, [undefined, ...numbers.slice(1).map(expected)])
        assert.deepStrictEqual(yield* node.headers([]), [])
        const refusal = yield* Effect.flip(node.header(-1))
        assert(refusal._tag === "RpcRefusal")
        assert.deepStrictEqual([refusal.code, refusal.method], [-32602, "eth_getBlockByNumber"])
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )

  it.effect("returns the newest final block, or nothing from a node that does not know the name", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      const finalized = ChainNode.use((node) => node.finalized)
      const known = yield* Effect.provide(finalized, nodeAt(url))
      assert.isBelow(known?.number ?? 0, simulation.head)
      assert.strictEqual(known?.hash, simulation.chain.hashOf(known?.number ?? 0).slice(2))
      for (const body of [
        '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"invalid argument 0: unknown tag"}}',
        '{"jsonrpc":"2.0","id":0,"result":null}',
      ]) {
        const node = yield* nodeBefore(url, () => ({ status: 200, body }))
        assert.isUndefined(yield* Effect.provide(finalized, node))
      }
    }),
  )

  it.effect("names the setting when no node is configured", () =>
    Effect.gen(function* () {
      const unset = ChainNode.layer.pipe(
        Layer.provide(Layer.merge(Endpoints.at("http://127.0.0.1:1"), UpstreamHttp.layer)),
        Layer.provide(testConfiguration({ upstream: "polymarket" })),
        Layer.orDie,
      )
      const failure = yield* ChainNode.use((node) => node.head).pipe(Effect.provide(unset), Effect.flip)
      assert.include(failure.message, "UPSTREAM_RPC_URL")
    }),
  )

  it.effect("reads balances at a block, and says when the node has no state of it", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.settle()
      const { wallets, world } = simulation.model
      const { books, tokens } = world.venue
      const positions = Array.from({ length: books.shares.length }, (_, position) => position)
      const holdings = positions.map((position) => ({
        wallet: wallets[books.walletOf.get(position)]?.address.slice(2) ?? "",
        token: tokens[books.tokenOf.get(position)]?.hex ?? "",
      }))
      const expected = positions.map((position) => BigInt(books.shares.get(position)))
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        assert.deepStrictEqual(yield* node.balances(simulation.head, holdings), expected)
        assert.deepStrictEqual(yield* node.balances(simulation.head, []), [])
        for (const block of [simulation.head - 200, simulation.head + 1]) {
          const failure = yield* Effect.flip(node.balances(block, holdings.slice(0, 1)))
          assert.strictEqual(failure._tag, "StateUnavailable")
          assert(failure._tag === "StateUnavailable")
          assert.include(failure.message, `the node has no state of block ${block}`)
          assert.isFalse(failure.isFinal, "the node may only be late")
        }
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )

  it.effect("knows from the code of an error that a state is deleted for good, as in a replayed recording", () =>
    Effect.gen(function* () {
      const { url } = yield* sharedVenue
      const error = { code: 4444, message: "the recording does not have this state" }
      const node = yield* nodeBefore(url, () => ({
        status: 200,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, error }),
      }))
      const holding = { wallet: "1".repeat(40), token: "2".repeat(64) }
      const failure = yield* ChainNode.use((each) => each.balances(80_000_000, [holding])).pipe(
        Effect.flip,
        Effect.provide(node),
      )
      assert(failure._tag === "StateUnavailable", failure.message)
      assert.isTrue(failure.isFinal)
    }),
  )

  it.effect("fails with RangeTooLarge for a refusal or an endless answer", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const { from: busy } = busyRange(simulation)
      simulation.advance(30_000)
      const top = simulation.head
      const failureOf = (from: number, node: ReturnType<typeof nodeAt>) =>
        logsOf({ from, to: top }).pipe(Effect.provide(node), Effect.flip)
      const own = yield* failureOf(top - 10_000, nodeAt(url))
      assert(own._tag === "RangeTooLarge", own.message)
      assert.deepStrictEqual([own.from, own.to], [top - 10_000, top])
      const few = { "upstream.answer-limit": "1", "upstream.rpc.attempts": "1" }
      assert.strictEqual((yield* failureOf(busy, nodeAt(url, few)))._tag, "RangeTooLarge")
      const refused = (code: number, message: string) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } })
      for (const answer of [
        { status: 200, body: refused(-32005, "query returned more than 10000 results") },
        { status: 200, body: refused(-32614, "eth_getLogs is limited to a 10,000 range") },
        { status: 200, body: refused(-32602, "Log response size exceeded. You can make eth_getLogs requests with …") },
        { status: 400, body: refused(-32000, "block range is too wide") },
        { status: 413, body: "Payload Too Large" },
      ]) {
        let asked = 0
        const node = yield* nodeBefore(url, () => {
          asked += 1
          return answer
        })
        assert.strictEqual((yield* failureOf(top - 5, node))._tag, "RangeTooLarge", answer.body)
        assert.strictEqual(asked, 1, "the same range would be too large again")
      }
      for (const body of [refused(-32000, "header not found"), refused(-32603, "internal error")]) {
        const node = yield* nodeBefore(url, () => ({ status: 200, body }))
        assert.strictEqual((yield* failureOf(top - 5, node))._tag, "RpcRefusal", body)
      }
    }),
  )

  it.effect("returns the same results through recognisable faults of every kind", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const patient = {
        "upstream.rpc.attempts": "12",
        "upstream.rpc.timeout": "300ms",
      }
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        const numbers = [simulation.head, simulation.head - 1]
        // A timeout asks for a smaller range.
        const logs = Effect.retry(logsOf(range), { while: ({ _tag }) => _tag === "RangeTooLarge" })
        const expected = { logs: yield* logs, headers: yield* node.headers(numbers) }
        for (const [kind, more] of [
          ["wrong_types", {}],
          ["truncated", {}],
          ["html", {}],
          ["server_error", {}],
          ["down", {}],
          ["slow", { delay_ms: 2_000 }],
          ["rate_limited", { retry_after_s: 0 }],
        ] as const) {
          yield* fault(url, { upstream: "rpc", channel: "http", kind, share: 0.3, ...more })
          for (let i = 0; i < 2; i++) {
            assert.deepStrictEqual({ logs: yield* logs, headers: yield* node.headers(numbers) }, expected, kind)
          }
          yield* noFaults(url)
        }
      }).pipe(Effect.provide(nodeAt(url, patient)))
    }),
  )
})
