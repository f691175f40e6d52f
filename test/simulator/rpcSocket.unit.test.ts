import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type Block,
  createPublicClient,
  createTransport,
  decodeEventLog,
  decodeFunctionData,
  type Hex,
  hexToNumber,
  numberToHex,
  parseAbi,
} from "viem"
import { topic } from "#src/simulator/chain/contracts.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { readPending } from "#src/upstream/chain/pendingMatch.ts"
import {
  ask,
  connected,
  type Fields,
  frozenSimulation,
  logsOf,
  minute,
  orderFilled,
  range,
  type WireLog,
} from "./rpcClient.ts"

const matchOrders = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }",
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])

const blockOf = (sim: Simulation, block: number) =>
  ask<{ hash: Hex; parentHash: Hex; transactions: Array<Hex> }>(sim, "eth_getBlockByNumber", numberToHex(block), false)

/** Advances from test to test, busy enough that most blocks have transactions. */
const world = frozenSimulation(6)
world.setRate(20)
world.advance(minute)

describe("rpcSocket", () => {
  it("sends every new head once, until unsubscribed or closed", () => {
    const [first, second] = [connected(world), connected(world)]
    const [heads, others] = [first.subscribe("newHeads"), second.subscribe("newHeads")]
    assert.strictEqual(first.request("eth_blockNumber", []), numberToHex(world.head))
    const before = world.head
    world.advance(minute)
    const received = first.received<{ number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex }>(heads)
    assert.isAtLeast(world.head - before, 29)
    assert.deepStrictEqual(
      received.map(({ number }) => hexToNumber(number)),
      range(before + 1, world.head),
    )
    for (const head of received) {
      const block = ask<Fields>(world, "eth_getBlockByHash", head.hash, false)
      assert.deepStrictEqual({ ...block, ...head }, block)
    }
    assert.isTrue(first.request("eth_unsubscribe", [heads]))
    assert.throws(() => first.request("eth_unsubscribe", [heads]), /not found/)
    assert.throws(() => first.subscribe("oldHeads"), /oldHeads/)
    second.close()
    world.advance(minute)
    assert.lengthOf(first.received(heads), received.length)
    assert.lengthOf(second.received(others), received.length)
  })

  it("works with viem's watchBlocks", async () => {
    const { request, subscribe, listeners } = connected(world)
    const transport = () =>
      createTransport(
        {
          key: "venue",
          name: "venue",
          type: "webSocket",
          request: async ({ method, params }) => request(method, params) as never,
        },
        {
          subscribe: async ({ params, onData }: { params: ReadonlyArray<unknown>; onData: (data: Fields) => void }) => {
            const id = subscribe(...params)
            listeners.set(id, onData)
            return { unsubscribe: () => request("eth_unsubscribe", [id]) }
          },
        },
      )
    const client = createPublicClient({ transport })
    const before = world.head
    const seen: Array<Block> = []
    const stop = client.watchBlocks({ poll: false, onBlock: (block) => seen.push(block) })
    // viem subscribes in a microtask.
    await new Promise(setImmediate)
    world.advance(10_000)
    while (seen.length < world.head - before) await new Promise(setImmediate)
    stop()
    assert.deepStrictEqual(
      seen.map(({ number }) => Number(number)),
      range(before + 1, world.head),
    )
    assert.deepStrictEqual(
      seen.slice(1).map(({ parentHash }) => parentHash),
      seen.slice(0, -1).map(({ hash }) => hash),
    )
  })

  it("sends logs that match the filter as they are produced", () => {
    const node = connected(world)
    const [all, fills] = [node.subscribe("logs"), node.subscribe("logs", { topics: [topic.orderFilled2] })]
    assert.throws(() => node.subscribe("logs", { address: "0x1" }), /argument 1.*address/)
    const before = world.head
    world.advance(minute)
    const logs = logsOf(world, before + 1, world.head)
    assert.deepStrictEqual(node.received(all), logs)
    assert.isNotEmpty(node.received(fills))
    assert.deepStrictEqual(
      node.received(fills),
      logs.filter(({ topics }) => topics[0] === topic.orderFilled2),
    )
  })

  it("sends a pending match whose call data matches the fills of its later block", () => {
    const node = connected(world)
    const [full, hashes] = [node.subscribe("newPendingTransactions", true), node.subscribe("newPendingTransactions")]
    const waited: Array<Hex> = []
    // Small steps, so that no transaction is announced together with its block.
    for (let i = 0; i < 40; i++) {
      const already = node.received(full).length
      world.advance(250)
      for (const { hash } of node.received<{ hash: Hex }>(full).slice(already)) {
        const { blockNumber } = ask<Fields>(world, "eth_getTransactionByHash", hash)
        assert.strictEqual(ask(world, "eth_getTransactionReceipt", hash) === null, blockNumber === null)
        if (blockNumber === null) waited.push(hash)
      }
    }
    assert.lengthOf(waited, node.received(full).length)
    const pending = node.received<{ hash: Hex; to: Hex; input: Hex; blockHash: null }>(full)
    assert.deepStrictEqual(
      node.received(hashes),
      pending.map(({ hash }) => hash),
    )
    assert.isTrue(pending.every(({ blockHash }) => blockHash === null))
    world.advance(10_000)

    const matches = pending.filter(({ input }) => input.startsWith("0x3c2b4399"))
    assert.isAtLeast(matches.length, 20)
    const conditions = new Set(world.model.world.venue.markets.map(({ conditionId }) => conditionId))
    for (const { hash, to, input } of matches) {
      const { args } = decodeFunctionData({ abi: matchOrders, data: input })
      const [conditionId, taker, makers, takerFill, makerFills, takerFee, makerFees] = args
      assert.isTrue(conditions.has(conditionId))
      const { logs } = ask<{ logs: Array<WireLog> }>(world, "eth_getTransactionReceipt", hash)
      const fills = logs.flatMap((log) =>
        log.topics[0] === topic.orderFilled2 && log.address === to
          ? [decodeEventLog({ abi: [orderFilled], topics: log.topics, data: log.data }).args]
          : [],
      )
      const read = Result.getOrUndefined(readPending({ hash, to, input }))
      assert.deepStrictEqual(
        [...(read?.makers ?? []), read?.taker].map((order) => `0x${order?.orderHash}`),
        fills.map(({ orderHash }) => orderHash),
      )
      const orders = [...makers, taker]
      const [given, fees] = [
        [...makerFills, takerFill],
        [...makerFees, takerFee],
      ]
      assert.deepStrictEqual(
        orders.map(({ maker, tokenId, side, builder, metadata }, i) => [
          maker,
          tokenId,
          side,
          builder,
          metadata,
          given[i],
          fees[i],
        ]),
        fills.map((fill) => [
          fill.maker,
          fill.tokenId,
          fill.side,
          fill.builder,
          fill.metadata,
          fill.makerAmountFilled,
          fill.fee,
        ]),
      )
      for (const [i, order] of orders.entries()) {
        const fill = fills[i]
        const wallet = world.model.wallets.find((each) => each.address === order.maker.toLowerCase())
        assert.isTrue(order.makerAmount >= (fill?.makerAmountFilled ?? 0n))
        assert.isTrue(order.takerAmount >= (fill?.takerAmountFilled ?? 0n))
        assert.strictEqual(order.signatureType, ["eoa", "proxy", "safe", "deposit"].indexOf(wallet?.kind ?? ""))
        assert.strictEqual(order.signer.toLowerCase(), wallet?.kind === "deposit" ? wallet.address : wallet?.owner)
        assert.lengthOf(order.signature, 2 + 65 * 2)
      }
    }
  })
})

describe("Simulation.reorg", () => {
  for (const depth of [1, 5]) {
    it(`replaces ${depth} block(s) and loses no transaction`, () => {
      world.advance(minute)
      const node = connected(world)
      const [heads, logs] = [node.subscribe("newHeads"), node.subscribe("logs")]
      const { head } = world
      const from = head - depth + 1
      const old = range(from - 3, head).map((block) => blockOf(world, block))
      const oldLogs = logsOf(world, from, head)
      assert.isNotEmpty(oldLogs)

      world.reorg(depth)
      const replaced = range(from - 3, head).map((block) => blockOf(world, block))
      for (const [i, block] of replaced.entries()) {
        if (i < 3) assert.deepStrictEqual(block, old[i])
        else assert.notStrictEqual(block.hash, old[i]?.hash)
        if (i > 0) assert.strictEqual(block.parentHash, replaced[i - 1]?.hash)
      }
      for (const { hash } of old.slice(3)) assert.isNull(ask(world, "eth_getBlockByHash", hash, false))

      const received = node.received<WireLog>(logs)
      const removed = received.slice(0, oldLogs.length)
      assert.deepStrictEqual(
        removed,
        oldLogs.map((log) => ({ ...log, removed: true })),
      )
      assert.deepStrictEqual(received.slice(oldLogs.length), logsOf(world, from, head))
      assert.deepStrictEqual(
        node.received<{ hash: Hex }>(heads).map(({ hash }) => hash),
        replaced.slice(3).map(({ hash }) => hash),
      )

      world.advance(10_000)
      assert.strictEqual(blockOf(world, head + 1).parentHash, replaced.at(-1)?.hash)
      const included = range(from, world.head).flatMap((block) => blockOf(world, block).transactions)
      assert.strictEqual(new Set(included).size, included.length)
      const oldTransactions = old.slice(3).flatMap(({ transactions }) => transactions)
      assert.deepStrictEqual(included.slice(0, oldTransactions.length), oldTransactions)
      for (const hash of oldTransactions) {
        const { blockHash } = ask<{ blockHash: Hex }>(world, "eth_getTransactionReceipt", hash)
        const { transactions } = ask<{ transactions: Array<Hex> }>(world, "eth_getBlockByHash", blockHash, false)
        assert.include(transactions, hash)
      }
      // A subscriber that applies all notifications ends up with the canonical logs.
      const key = ({ blockHash, logIndex }: WireLog) => `${blockHash} ${logIndex}`
      const kept = new Map(oldLogs.map((log) => [key(log), log]))
      for (const log of node.received<WireLog>(logs)) {
        if (log.removed) kept.delete(key(log))
        else kept.set(key(log), log)
      }
      assert.deepStrictEqual([...kept.values()], logsOf(world, from, world.head))
    })
  }
})
