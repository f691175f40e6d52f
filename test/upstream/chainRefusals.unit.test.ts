import { assert, describe, it } from "@effect/vitest"
import { resultOf, resultsOf } from "#src/upstream/chain/answers.ts"
import { RpcRefusal } from "#src/upstream/chain/failures.ts"
import { NodeLimits, suggestedBlocks } from "#src/upstream/chain/NodeLimits.ts"
import { labelsOf } from "#src/upstream/chain/nodes.ts"
import { type NodeRefusal, understand } from "#src/upstream/chain/refusals.ts"

const tooWide = { meaning: "too-wide" } as const
const limitOf = (maxBlocks: number) => ({ meaning: "too-wide", maxBlocks }) as const
const fitting = (fittingBlocks: number) => ({ meaning: "too-wide", fittingBlocks }) as const
const tooSlow = { meaning: "too-slow" } as const
const lagging = { meaning: "lagging" } as const
const batchTooLarge = { meaning: "batch-too-large" } as const
const rateLimited = { meaning: "rate-limited" } as const

/** Wordings of nodes and providers, and what they mean. */
const wordings: ReadonlyArray<
  readonly [provider: string, code: number, message: string, refusal: NodeRefusal | undefined]
> = [
  [
    "Alchemy",
    -32602,
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]",
    fitting(0xd043b9),
  ],
  [
    "Alchemy, free",
    -32600,
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Upgrade to PAYG for expanded block range.",
    limitOf(10),
  ],
  [
    "Alchemy, free",
    -32600,
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa].",
    limitOf(10),
  ],
  ["Alchemy", 429, "Your app has exceeded its compute units per second capacity.", rateLimited],
  [
    "Infura",
    -32005,
    "query returned more than 10000 results. Try with this block range [0x83BD40, 0x83BD75].",
    fitting(0x36),
  ],
  ["Infura", -32602, "range 1000000 exceeds limit of 10000", limitOf(10_000)],
  ["Infura", -32005, "query timeout exceeded", tooSlow],
  ["Infura", -32005, "daily request count exceeded, request rate limited", rateLimited],
  ["QuickNode", -32614, "eth_getLogs is limited to a 10,000 range", limitOf(10_000)],
  ["Ankr", -32600, "block range is too wide", tooWide],
  ["Ankr", -32600, "maximum [from, to] blocks distance: 3000", limitOf(3_000)],
  ["dRPC, free", 35, "ranges over 10000 blocks are not supported on freetier", limitOf(10_000)],
  ["dRPC, free", 31, "Batch of more than 3 requests are not allowed on free plan", { ...batchTooLarge, maxCalls: 3 }],
  ["dRPC", 31, "another wording", batchTooLarge],
  ["Chainstack", -32000, "Block range limit exceeded. See more details at https://…", tooWide],
  ["reth", -32602, "query exceeds max block range 100000", limitOf(100_000)],
  ["reth", -32602, "query exceeds max results 20000, retry with the range 23879634-23879696", fitting(63)],
  ["publicnode", -32701, "exceed maximum block range: 10000", limitOf(10_000)],
  ["publicnode, geth, bor", -32002, "request timed out", tooSlow],
  ["geth, bor", -32003, "response too large", tooWide],
  ["bor behind a balancer", -32000, "invalid block range params", lagging],
  ["geth", -32000, "block range extends beyond current head block", lagging],
  ["publicnode", -32000, "History has been pruned for this block", { meaning: "pruned" }],
  ["geth", 4444, "pruned history unavailable", { meaning: "pruned" }],
  [
    "Chainstack",
    -32002,
    "Archive, Debug and Trace requests are not available on your current plan.",
    { meaning: "pruned" },
  ],
  ["publicnode", -32602, "Archive requests require a personal token", { meaning: "pruned" }],
  ["publicnode", -32701, "Please, specify less number of addresses", { meaning: "too-many-addresses" }],
  ["erigon", -32005, "block range too large, max range: 1000", limitOf(1_000)],
  ["geth with a limit", -32000, "block range greater than 5000 max", limitOf(5_000)],
  ["BlockPI", -32602, "eth_getLogs is limited to 1024 block range. Please check …", limitOf(1_024)],
  ["Blast", -32000, "limited to a 10,000 range", limitOf(10_000)],
  ["Blast", -32000, "exceeds the range allowed for your plan (20000 > 10000)", limitOf(10_000)],
  ["Merkle", -32603, "eth_getLogs range is too large, max is 1k blocks", limitOf(1_000)],
  ["1RPC", -32000, "response size should not greater than 10000000 bytes", tooWide],
  ["Tenderly", -32602, 'invalid params: {"payload":"range 5001 is bigger than range limit 2000"}', limitOf(2_000)],
  ["Cloudflare", -32000, "Max range: 800", limitOf(800)],
  ["thirdweb", -32000, "Maximum allowed number of requested blocks is 1000", limitOf(1_000)],
  ["Coinbase", -32000, "please limit the query to at most 1000 blocks", limitOf(1_000)],
  ["eRPC", -32000, "range threshold exceeded", tooWide],
  ["eRPC", -32000, "exceeded max allowed", tooWide],
  ["proxyd", -32000, "backend response too large", tooWide],
  ["proxyd", -32000, "no backend is currently healthy to serve traffic", { meaning: "unhealthy" }],
  ["Flashbots", -32600, "too many RPC calls in batch request", batchTooLarge],
  ["geth, bor", -32600, "batch too large", batchTooLarge],
  ["any", -32601, "the method eth_getLogs does not exist/is not available", undefined],
  ["any", -32000, "header not found", undefined],
  ["any", -32603, "internal error", undefined],
]

describe("Refusals of nodes (A13)", () => {
  for (const [provider, code, message, refusal] of wordings) {
    it(`A13: ${provider}: "${message.slice(0, 80)}" means ${refusal?.meaning ?? "nothing special"}`, () => {
      assert.deepStrictEqual(understand(code, message), refusal)
    })
  }

  it("B1: a lagging node is asked again, and its range is not too wide", () => {
    for (const detail of ["invalid block range params", "block range extends beyond current head block"]) {
      const refusal = new RpcRefusal({ method: "eth_getLogs", code: -32000, detail })
      assert.isTrue(refusal.isTransient)
      assert.strictEqual(refusal.refusal?.meaning, "lagging")
    }
  })

  it("a node without old blocks fails with what is needed instead", () => {
    const refusal = new RpcRefusal({ method: "eth_getLogs", code: -32000, detail: "History has been pruned" })
    assert.isFalse(refusal.isTransient)
    assert.include(refusal.message, "archive node")
    assert.include(refusal.message, "LEDGER_HISTORY")
  })

  it("B3: the data of an error is part of its reason", () => {
    const detailOf = (error: object) => {
      try {
        resultOf("eth_getLogs", { jsonrpc: "2.0", id: 1, error })
      } catch (refused) {
        return (refused as Error).message
      }
      return undefined
    }
    const payload = "range 5001 is bigger than range limit 2000"
    assert.strictEqual(detailOf({ code: 1, message: "invalid params", data: payload }), `invalid params: ${payload}`)
    assert.deepStrictEqual(
      understand(-32602, detailOf({ code: 1, message: "invalid params", data: { payload } }) ?? ""),
      limitOf(2_000),
    )
    assert.strictEqual(detailOf({ code: 1, message: "no", data: "no" }), "no")
    assert.strictEqual(detailOf({ code: 1, message: "no", data: null }), "no")
  })

  it("answers of a part of a batch are found by their ids", () => {
    const answers = [
      { id: 4, result: "b" },
      { id: 3, result: "a" },
    ]
    assert.deepStrictEqual(resultsOf(["x", "y"], answers, 3), ["a", "b"])
    assert.deepStrictEqual(resultsOf(["x"], { id: 3, result: "a" }, 3), ["a"])
  })
})

describe("NodeLimits", () => {
  it("learns the batch size from the refusal, or halves it down to single calls", () => {
    const limits = new NodeLimits(() => 8)
    assert.strictEqual(limits.calls, 100)
    limits.refusedBatch(100, { meaning: "batch-too-large" })
    assert.strictEqual(limits.calls, 50)
    limits.refusedBatch(32, { meaning: "batch-too-large", maxCalls: 3 })
    assert.strictEqual(limits.calls, 3)
    for (const calls of [3, 2]) limits.refusedBatch(calls, { meaning: "batch-too-large" })
    assert.strictEqual(limits.calls, 1)
  })

  it("keeps a limit of blocks, but not a width that fits some blocks", () => {
    const limits = new NodeLimits(() => 8)
    limits.refusedRange(500, fitting(63))
    assert.isUndefined(limits.blocks)
    limits.refusedRange(500, limitOf(10))
    assert.strictEqual(limits.blocks, 10)
  })

  it("suggests what the node says, and less than what it refused", () => {
    assert.strictEqual(suggestedBlocks(500, fitting(63)), 63)
    assert.strictEqual(suggestedBlocks(500, limitOf(10)), 10)
    assert.strictEqual(suggestedBlocks(10, limitOf(10)), 9)
    assert.isUndefined(suggestedBlocks(10, fitting(0xd043b9)))
    assert.isUndefined(suggestedBlocks(10, tooWide))
  })

  it("sends fewer requests at a time after a rate limit, and more again later", () => {
    const limits = new NodeLimits(() => 8)
    for (let i = 0; i < 5; i++) limits.rateLimited(1_000, 500)
    assert.deepStrictEqual([limits.permits, limits.pausedUntil], [4, 1_500])
    limits.rateLimited(1_600, 500)
    assert.strictEqual(limits.permits, 2)
    for (let i = 0; i < 100; i++) limits.succeeded()
    assert.strictEqual(limits.permits, 3)
  })
})

describe("Names of nodes", () => {
  it("are hosts without keys and passwords, numbered if they repeat", () => {
    const urls = ["https://user:password@a.example/v2/key", "https://b.example:8545", "https://a.example/v2/other"]
    assert.deepStrictEqual(labelsOf(urls), ["a.example", "b.example:8545", "a.example#2"])
  })
})
