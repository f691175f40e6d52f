import { assert, describe, it } from "@effect/vitest"
import { numberToHex } from "viem"
import { topic } from "#src/simulator/chain/contracts.ts"
import { rpcService } from "#src/simulator/chain/rpc/rpcService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { toText, type WireRequest } from "#src/simulator/wire.ts"

const genesis = 1_794_700_800_000
const sim = new Simulation(Journal.open(undefined, { seed: 5, genesis, scale: "brief" }), () => genesis)
sim.freeze()
const quietHead = sim.head
// More logs than one response may contain.
sim.setRate(500)
sim.advance(22_000)

interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const requestOf = (body: unknown): WireRequest => ({
  method: "POST",
  path: "/",
  query: new URLSearchParams(),
  target: "/",
  headers: {},
  body: JSON.stringify(body),
})
const post = (body: unknown) => toText(rpcService(sim)(requestOf(body)).body)
const call = (method: string, params: ReadonlyArray<unknown>, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
})
const ask = (method: string, ...params: ReadonlyArray<unknown>): Answer => JSON.parse(post(call(method, params)))
const filter = (from: number, to: number, more: object = {}) => ({
  fromBlock: numberToHex(from),
  toBlock: numberToHex(to),
  ...more,
})
const textsOf = (fromBlock: number, toBlock: number) =>
  sim.chain.logTexts({ fromBlock, toBlock, addresses: undefined, topics: [] })

describe("rpcService limits", () => {
  it("eth_getLogs fails above 20,000 matching logs (a batch once crashed the process)", () => {
    const all = textsOf(quietHead + 1, sim.head)
    assert.isAbove(all.length, 20_000)
    const { error } = ask("eth_getLogs", filter(sim.head - 9_999, sim.head))
    assert.deepStrictEqual(error, { code: -32005, message: "query returned more than 20000 results" })
    // Only matching logs count.
    const few = all.filter((text) => text.includes(topic.ordersMatched2))
    assert.isNotEmpty(few)
    const matches = ask("eth_getLogs", filter(quietHead + 1, sim.head, { topics: [topic.ordersMatched2] }))
    assert.lengthOf(matches.result as ReadonlyArray<unknown>, few.length)
  })

  it("returns every log of a range just within the limit and fails with one more block", () => {
    const from = quietHead - 1_000
    const texts = [...textsOf(from, quietHead)]
    let to = quietHead
    for (let more = textsOf(to + 1, to + 1); texts.length + more.length <= 20_000; more = textsOf(to + 1, to + 1)) {
      texts.push(...more)
      to += 1
    }
    const { result } = ask("eth_getLogs", filter(from, to))
    assert.strictEqual(JSON.stringify(result), `[${texts.join(",")}]`)
    assert.strictEqual(ask("eth_getLogs", filter(from, to + 1)).error?.code, -32005)
    assert.deepStrictEqual(ask("eth_getLogs", filter(sim.head + 1, sim.head + 5)).result, [])
  })

  it("limits a batch response to 32 MB and answers the rest with errors", () => {
    const part = filter(sim.head - 2, sim.head)
    const alone = JSON.stringify(ask("eth_getLogs", part).result).length
    assert.isAbove(alone, 1_000_000)
    const text = post([
      ...Array.from({ length: 200 }, (_, id) => call("eth_getLogs", [part], id)),
      call("eth_chainId", [], "last"),
    ])
    const answers: ReadonlyArray<Answer> = JSON.parse(text)
    const fitting = Math.floor((32 * 1024 * 1024) / alone)
    assert.deepStrictEqual(
      answers.map(({ id, result }) => [id, result !== undefined]),
      [...Array.from({ length: 200 }, (_, id) => [id, id < fitting]), ["last", false]],
    )
    for (const { error } of answers.slice(fitting)) {
      assert.strictEqual(error?.code, -32003)
      assert.match(error?.message ?? "", /^response too large$/)
    }
    assert.isBelow(text.length, 33 * 1024 * 1024)
  })

  it("does not rebuild the same oversized response for every request of a batch", () => {
    const answers: ReadonlyArray<Answer> = JSON.parse(
      post(Array.from({ length: 200 }, (_, id) => call("eth_getLogs", [filter(sim.head - 9_999, sim.head)], id))),
    )
    const codes = answers.map(({ error }) => error?.code)
    assert.strictEqual(codes[0], -32005)
    assert.strictEqual(codes.at(-1), -32003)
    assert.isBelow(codes.lastIndexOf(-32005), 10)
  })
})

describe("logsBloom", () => {
  const [none, all] = [`0x${"0".repeat(512)}`, `0x${"f".repeat(512)}`]
  const bloomOf = (block: number) =>
    (ask("eth_getBlockByNumber", numberToHex(block), false).result as { logsBloom: string }).logsBloom

  it("is set in every block and receipt with logs", () => {
    const { facts } = sim.model.world
    const blocks = Array.from({ length: 25 }, (_, i) => quietHead - 15 + i)
    const expected = blocks.map((block) => (textsOf(block, block).length > 0 ? all : none))
    assert.sameMembers([...new Set(expected)], [none, all])
    assert.deepStrictEqual(blocks.map(bloomOf), expected)
    const [tx] = sim.chain.txRange(sim.head)
    assert.isBelow(tx, facts.length)
    const receipt = ask("eth_getTransactionReceipt", sim.chain.transactionHash(tx)).result
    assert.include(receipt as object, { logsBloom: all })
  })
})
