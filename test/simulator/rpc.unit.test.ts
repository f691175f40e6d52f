import { assert, describe, it } from "@effect/vitest"
import { numberToHex } from "viem"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { rpcService } from "#src/simulator/chain/rpc/rpcService.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import {
  type Answer,
  ask,
  clientOf,
  type Fields,
  frozenSimulation,
  logsOf,
  orderFilled,
  post,
  postText,
  range,
  type WireLog,
  wireRequest,
} from "./rpcClient.ts"

const sim = frozenSimulation(5)

describe("rpcService", () => {
  it("reports its chain id and head", async () => {
    const client = clientOf(sim)
    assert.strictEqual(await client.getChainId(), 137)
    assert.strictEqual(await client.getBlockNumber({ cacheTime: 0 }), BigInt(sim.head))
    assert.strictEqual(ask(sim, "net_version"), "137")
    assert.strictEqual(ask(sim, "eth_syncing"), false)
    assert.isString(ask(sim, "web3_clientVersion"))
    assert.isTrue((await client.getGasPrice()) > 0n)
  })

  it("returns logs that viem decodes, with the timestamp of their block", async () => {
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
    const isSecond = (tx: number) => facts.kind.get(tx) === TxKind.match && sim.logs.exchangeOf(tx).generation === 2
    const fills = range(first, end - 1)
      .filter(isSecond)
      .map((tx) => facts.fillCount.get(tx))
    assert.strictEqual(
      logs.length,
      fills.reduce((sum, count) => sum + count, 0),
    )
  })

  it("filters logs by address and by topics, with alternatives and wildcards", () => {
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
    const ofMaker = logsOf(sim, from, to, {
      address: address.ctf2.toUpperCase().replace("X", "x"),
      topics: [event, null, maker],
    })
    assert.deepStrictEqual(
      ofMaker,
      all.filter((log) => log.address === address.ctf2 && log.topics[0] === event && log.topics[2] === maker),
    )
    assert.deepStrictEqual(logsOf(sim, from, to, { address: [], topics: [] }), all)
    const one = logsOf(sim, Number((fill as WireLog).blockNumber), Number((fill as WireLog).blockNumber))
    assert.deepStrictEqual(ask(sim, "eth_getLogs", { blockHash: (fill as WireLog).blockHash }), one)
  })

  it("rejects ranges of more than 10,000 blocks and returns nothing beyond the head", () => {
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

  it("returns blocks by number, tag and hash, each with the hash of its parent", async () => {
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

  it("returns the same transactions as hashes, objects, receipts and logs", async () => {
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

  it("answers batches in order and rejects invalid requests", () => {
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

  it("names the invalid argument", () => {
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
