import { assert, describe, it } from "@effect/vitest"
import {
  type Block,
  createPublicClient,
  createTransport,
  custom,
  decodeEventLog,
  decodeFunctionData,
  type Hex,
  hexToNumber,
  numberToHex,
  parseAbi,
  parseAbiItem,
} from "viem"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { rpcService, rpcSocket } from "#src/simulator/chain/rpc/rpcService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { toText, type WireRequest, type WireSocket } from "#src/simulator/wire.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"

const genesis = 1_794_700_800_000
const minute = 60_000

const simulated = (seed: number) => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale: "tiny" }), () => genesis + minute)
  sim.freeze()
  return sim
}

const orderFilled = parseAbiItem(
  "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
)
const matchOrders = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }",
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])

type Fields = Record<string, unknown>
interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}
interface WireLog {
  readonly address: Hex
  readonly topics: [Hex, ...Array<Hex>]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly blockTimestamp: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
  readonly removed: boolean
}

const wireRequest = (body: string, method = "POST"): WireRequest => ({
  method,
  path: "/",
  query: new URLSearchParams(),
  target: "/",
  headers: {},
  body,
})

const postText = (sim: Simulation, body: string) => JSON.parse(toText(rpcService(sim)(wireRequest(body)).body))
const post = (sim: Simulation, method: string, params?: unknown): Answer =>
  postText(sim, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))

const resultOf = ({ result, error }: Answer): unknown => {
  if (error !== undefined) throw Object.assign(new Error(error.message), error)
  return result
}
const ask = <A>(sim: Simulation, method: string, ...params: ReadonlyArray<unknown>) =>
  resultOf(post(sim, method, params)) as A

const clientOf = (sim: Simulation) =>
  createPublicClient({
    transport: custom(
      { request: async ({ method, params }) => resultOf(post(sim, method, params)) },
      { retryCount: 0 },
    ),
  })

/** One connection: asks, and keeps what it is told by subscription. */
const connected = (sim: Simulation) => {
  const told = new Map<string, Array<unknown>>()
  const listeners = new Map<string, (params: Fields) => void>()
  let answered: Answer | undefined
  const socket: WireSocket = {
    send: (text) => {
      const message = JSON.parse(text)
      if (message.method !== "eth_subscription") {
        answered = message
        return
      }
      const { subscription, result } = message.params
      const before = told.get(subscription)
      if (before === undefined) told.set(subscription, [result])
      else before.push(result)
      listeners.get(subscription)?.(message.params)
    },
    close: () => {},
    onMessage: () => {},
    onClose: () => {},
  }
  rpcSocket(sim)(socket, wireRequest(""))
  const request = (method: string, params: unknown) => {
    socket.onMessage(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }))
    return resultOf(answered as Answer)
  }
  return {
    request,
    listeners,
    subscribe: (...params: ReadonlyArray<unknown>) => request("eth_subscribe", params) as string,
    told: <A>(id: string) => [...(told.get(id) ?? [])] as Array<A>,
    close: () => socket.onClose(),
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const logsOf = (sim: Simulation, from: number, to: number, more: Fields = {}) =>
  ask<Array<WireLog>>(sim, "eth_getLogs", { fromBlock: numberToHex(from), toBlock: numberToHex(to), ...more })
const blockOf = (sim: Simulation, block: number) =>
  ask<{ hash: Hex; parentHash: Hex; transactions: Array<Hex> }>(sim, "eth_getBlockByNumber", numberToHex(block), false)

const sim = simulated(5)

/** One that moves on from test to test, busy enough that most blocks have transactions. */
const world = simulated(6)
world.setRate(20)
world.advance(minute)

describe("The simulated node over HTTP", () => {
  it("tells which chain it is and how far it has come", async () => {
    const client = clientOf(sim)
    assert.strictEqual(await client.getChainId(), 137)
    assert.strictEqual(await client.getBlockNumber({ cacheTime: 0 }), BigInt(sim.head))
    assert.strictEqual(ask(sim, "net_version"), "137")
    assert.strictEqual(ask(sim, "eth_syncing"), false)
    assert.isString(ask(sim, "web3_clientVersion"))
    assert.isTrue((await client.getGasPrice()) > 0n)
  })

  it("gives logs that viem decodes, with the time of their block", async () => {
    const logs = await clientOf(sim).getLogs({
      address: [address.ctf2, address.negRisk2],
      event: orderFilled,
      fromBlock: BigInt(sim.head - 9_999),
      toBlock: "latest",
      strict: true,
    })
    assert.isNotEmpty(logs)
    const { facts } = sim.model.world
    const wallets = new Set(sim.model.wallets.map((wallet) => wallet.address))
    for (const log of logs) {
      assert.isTrue(wallets.has(log.args.maker.toLowerCase()))
      assert.strictEqual(Number(log.blockTimestamp), sim.model.world.clock.timestampOf(Number(log.blockNumber)))
    }
    const [first, end] = [sim.chain.txRange(sim.head - 9_999)[0], sim.chain.txRange(sim.head)[1]]
    const isSecond = (act: number) => facts.kind.get(act) === TxKind.match && sim.logs.exchangeOf(act).generation === 2
    const fills = range(first, end - 1)
      .filter(isSecond)
      .map((act) => facts.fillCount.get(act))
    assert.strictEqual(
      logs.length,
      fills.reduce((sum, count) => sum + count, 0),
    )
  })

  it("filters by address and by topics, with alternatives and gaps", () => {
    const [from, to] = [sim.head - 1_500, sim.head]
    const all = logsOf(sim, from, to)
    const fill = all.find((log) => log.topics[0] === topic.orderFilled2)
    assert.isDefined(fill)
    const [event, , maker] = (fill as WireLog).topics
    const either = logsOf(sim, from, to, { topics: [[topic.orderFilled2, topic.ordersMatched2]] })
    assert.deepStrictEqual(
      either,
      all.filter(({ topics }) => topics[0] === topic.orderFilled2 || topics[0] === topic.ordersMatched2),
    )
    const his = logsOf(sim, from, to, {
      address: address.ctf2.toUpperCase().replace("X", "x"),
      topics: [event, null, maker],
    })
    assert.deepStrictEqual(
      his,
      all.filter((log) => log.address === address.ctf2 && log.topics[0] === event && log.topics[2] === maker),
    )
    assert.deepStrictEqual(logsOf(sim, from, to, { address: [], topics: [] }), all)
    const one = logsOf(sim, Number((fill as WireLog).blockNumber), Number((fill as WireLog).blockNumber))
    assert.deepStrictEqual(ask(sim, "eth_getLogs", { blockHash: (fill as WireLog).blockHash }), one)
  })

  it("refuses windows of more than 10,000 blocks and shows nothing of the future", () => {
    const { head } = sim
    assert.isNotEmpty(logsOf(sim, head - 9_999, head))
    const tooWide = post(sim, "eth_getLogs", [{ fromBlock: numberToHex(head - 10_000), toBlock: "latest" }])
    assert.strictEqual(tooWide.error?.code, -32000)
    assert.match(tooWide.error?.message ?? "", /10000/)
    assert.isEmpty(logsOf(sim, head + 1, head + 100))
    assert.isTrue(logsOf(sim, head - 100, head + 100).every((log) => Number(log.blockNumber) <= head))
    assert.isNull(ask(sim, "eth_getBlockByNumber", numberToHex(head + 1), false))
    assert.isNull(ask(sim, "eth_getBlockByHash", sim.chain.hashOf(head + 1), false))
    assert.isNull(ask(sim, "eth_getBlockReceipts", numberToHex(head + 1)))
    assert.isNull(ask(sim, "eth_getTransactionByHash", `0x${"12".repeat(32)}`))
    assert.isNull(ask(sim, "eth_getBlockByHash", `0x${"12".repeat(32)}`, false))
  })

  it("gives blocks by number, tag and hash, each the child of the one before", async () => {
    const client = clientOf(sim)
    const numbers = range(sim.head - 49, sim.head)
    const blocks = await Promise.all(numbers.map((block) => client.getBlock({ blockNumber: BigInt(block) })))
    for (const [i, block] of blocks.entries()) {
      assert.strictEqual(block.number, BigInt(numbers[i] as number))
      if (i > 0) assert.strictEqual(block.parentHash, blocks[i - 1]?.hash)
      assert.deepStrictEqual(await client.getBlock({ blockHash: block.hash }), block)
    }
    assert.deepStrictEqual(await client.getBlock(), blocks.at(-1))
    assert.deepStrictEqual((await client.getBlock({ blockTag: "earliest" })).number, BigInt(firstBlock))
    const settled = await client.getBlock({ blockTag: "finalized" })
    assert.isTrue(settled.number < BigInt(sim.head))
    assert.deepStrictEqual(await client.getBlock({ blockTag: "safe" }), settled)
    const [present] = blocks
    for (const value of [present?.gasLimit, present?.gasUsed, present?.baseFeePerGas, present?.size]) {
      assert.isTrue(typeof value === "bigint")
    }
  })

  it("gives the same transactions as hashes, objects, receipts and logs", async () => {
    const client = clientOf(sim)
    const busy = [...new Set(logsOf(sim, sim.head - 600, sim.head).map((log) => BigInt(log.blockNumber)))].slice(-12)
    assert.isNotEmpty(busy)
    for (const blockNumber of busy) {
      const { transactions } = await client.getBlock({ blockNumber })
      const full = await client.getBlock({ blockNumber, includeTransactions: true })
      assert.deepStrictEqual(
        full.transactions.map(({ hash }) => hash),
        transactions,
      )
      const receipts = await Promise.all(transactions.map((hash) => client.getTransactionReceipt({ hash })))
      const logs = await client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })
      assert.deepStrictEqual(
        receipts.flatMap((receipt) => receipt.logs),
        logs,
      )
      const ofBlock = ask<Array<Fields>>(sim, "eth_getBlockReceipts", numberToHex(blockNumber))
      assert.deepStrictEqual(ofBlock, ask(sim, "eth_getBlockReceipts", full.hash))
      for (const [i, receipt] of receipts.entries()) {
        const transaction = await client.getTransaction({ hash: receipt.transactionHash })
        assert.deepStrictEqual(transaction, full.transactions[i])
        assert.deepStrictEqual(ask(sim, "eth_getTransactionReceipt", receipt.transactionHash), ofBlock[i])
        assert.strictEqual(receipt.transactionIndex, i)
        assert.strictEqual(transaction.transactionIndex, i)
        assert.strictEqual(receipt.status, "success")
        assert.deepStrictEqual([receipt.from, receipt.to], [transaction.from, transaction.to])
      }
      assert.strictEqual(receipts.at(-1)?.cumulativeGasUsed, full.gasUsed)
    }
  })

  it("answers batches in order, and says what is wrong with a request", () => {
    const call = (id: unknown, method: unknown, params?: unknown) => ({ jsonrpc: "2.0", id, method, params })
    const batch: Array<Answer> = postText(
      sim,
      JSON.stringify([call(1, "eth_chainId"), call("b", "eth_nonsense"), { jsonrpc: "2.0", method: "eth_chainId" }, 4]),
    )
    assert.deepStrictEqual(
      batch.map(({ id, result, error }) => [id, result ?? error?.code]),
      [
        [1, "0x89"],
        ["b", -32601],
        [null, -32600],
      ],
    )
    const chainId = call(1, "eth_chainId")
    assert.lengthOf(postText(sim, JSON.stringify(Array(1_000).fill(chainId))), 1_000)
    assert.strictEqual(postText(sim, JSON.stringify(Array(1_001).fill(chainId))).error.code, -32600)
    assert.strictEqual(postText(sim, "[]").error.code, -32600)
    const { id, error } = postText(sim, '{"jsonrpc":"2.0",')
    assert.deepStrictEqual([id, error.code], [null, -32700])
    assert.strictEqual(post(sim, "constructor").error?.code, -32601)
    assert.strictEqual(post(sim, "eth_subscribe", ["newHeads"]).error?.code, -32601)
    assert.strictEqual(rpcService(sim)(wireRequest("", "GET")).status, 405)
  })

  it("names the argument that is wrong", () => {
    const wrong: ReadonlyArray<readonly [string, unknown, RegExp]> = [
      ["eth_getBlockByNumber", [12, false], /argument 0.*block/],
      ["eth_getBlockByNumber", ["0x012", false], /argument 0.*leading zeros/],
      ["eth_getBlockByNumber", ["latest"], /argument 1.*full transactions/],
      ["eth_getBlockByHash", ["0x12", false], /argument 0.*block hash/],
      ["eth_getTransactionReceipt", [], /argument 0.*transaction hash/],
      ["eth_getLogs", [], /argument 0.*filter/],
      ["eth_getLogs", [{ fromBlock: "soon" }], /fromBlock/],
      ["eth_getLogs", [{ address: "0x12" }], /address/],
      ["eth_getLogs", [{ topics: [null, ["0x1"]] }], /topics\[1\]/],
      ["eth_getLogs", [{ topics: Array(5).fill(null) }], /topics/],
      ["eth_getLogs", [{ blockHash: `0x${"0".repeat(64)}`, toBlock: "latest" }], /blockHash/],
      ["eth_blockNumber", { named: 1 }, /params/],
    ]
    for (const [method, params, message] of wrong) {
      const { error } = post(sim, method, params)
      assert.strictEqual(error?.code, -32602, method)
      assert.match(error?.message ?? "", message)
    }
    const unknown = post(sim, "eth_getLogs", [{ blockHash: `0x${"0".repeat(64)}` }])
    assert.strictEqual(unknown.error?.message, "unknown block")
  })
})

describe("The simulated node over a WebSocket", () => {
  it("tells of every new head once, until it is unsubscribed or closed", () => {
    const [first, second] = [connected(world), connected(world)]
    const [heads, others] = [first.subscribe("newHeads"), second.subscribe("newHeads")]
    assert.strictEqual(first.request("eth_blockNumber", []), numberToHex(world.head))
    const before = world.head
    world.advance(minute)
    const told = first.told<{ number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex }>(heads)
    assert.isAtLeast(world.head - before, 29)
    assert.deepStrictEqual(
      told.map(({ number }) => hexToNumber(number)),
      range(before + 1, world.head),
    )
    for (const head of told) {
      const block = ask<Fields>(world, "eth_getBlockByHash", head.hash, false)
      assert.deepStrictEqual({ ...block, ...head }, block)
    }
    assert.isTrue(first.request("eth_unsubscribe", [heads]))
    assert.throws(() => first.request("eth_unsubscribe", [heads]), /not found/)
    assert.throws(() => first.subscribe("oldHeads"), /oldHeads/)
    second.close()
    world.advance(minute)
    assert.lengthOf(first.told(heads), told.length)
    assert.lengthOf(second.told(others), told.length)
  })

  it("lets viem watch blocks", async () => {
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
    // viem subscribes in a microtask of its own.
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

  it("tells logs by filter as they come", () => {
    const node = connected(world)
    const [all, fills] = [node.subscribe("logs"), node.subscribe("logs", { topics: [topic.orderFilled2] })]
    assert.throws(() => node.subscribe("logs", { address: "0x1" }), /argument 1.*address/)
    const before = world.head
    world.advance(minute)
    const logs = logsOf(world, before + 1, world.head)
    assert.deepStrictEqual(node.told(all), logs)
    assert.isNotEmpty(node.told(fills))
    assert.deepStrictEqual(
      node.told(fills),
      logs.filter(({ topics }) => topics[0] === topic.orderFilled2),
    )
  })

  it("shows a match before its block, as the call that will emit its fills", () => {
    const node = connected(world)
    const [full, hashes] = [node.subscribe("newPendingTransactions", true), node.subscribe("newPendingTransactions")]
    const waited: Array<Hex> = []
    // Small steps, so that nothing is announced together with its block.
    for (let i = 0; i < 80; i++) {
      const already = node.told(full).length
      world.advance(250)
      for (const { hash } of node.told<{ hash: Hex }>(full).slice(already)) {
        const { blockNumber } = ask<Fields>(world, "eth_getTransactionByHash", hash)
        assert.strictEqual(ask(world, "eth_getTransactionReceipt", hash) === null, blockNumber === null)
        if (blockNumber === null) waited.push(hash)
      }
    }
    assert.lengthOf(waited, node.told(full).length)
    const pending = node.told<{ hash: Hex; to: Hex; input: Hex; blockHash: null }>(full)
    assert.deepStrictEqual(
      node.told(hashes),
      pending.map(({ hash }) => hash),
    )
    assert.isTrue(pending.every(({ blockHash }) => blockHash === null))
    world.advance(10_000)

    const matches = pending.filter(({ input }) => input.startsWith("0x3c2b4399"))
    assert.isAtLeast(matches.length, 40)
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

describe("A reorganisation", () => {
  for (const depth of [1, 5]) {
    it(`of depth ${depth} replaces blocks and loses no transaction`, () => {
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

      const told = node.told<WireLog>(logs)
      const removed = told.slice(0, oldLogs.length)
      assert.deepStrictEqual(
        removed,
        oldLogs.map((log) => ({ ...log, removed: true })),
      )
      assert.deepStrictEqual(told.slice(oldLogs.length), logsOf(world, from, head))
      assert.deepStrictEqual(
        node.told<{ hash: Hex }>(heads).map(({ hash }) => hash),
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
      // Who follows the subscription ends with what the chain now says.
      const key = ({ blockHash, logIndex }: WireLog) => `${blockHash} ${logIndex}`
      const kept = new Map(oldLogs.map((log) => [key(log), log]))
      for (const log of node.told<WireLog>(logs)) {
        if (log.removed) kept.delete(key(log))
        else kept.set(key(log), log)
      }
      assert.deepStrictEqual([...kept.values()], logsOf(world, from, world.head))
    })
  }
})
