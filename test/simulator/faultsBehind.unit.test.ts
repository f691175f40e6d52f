import { assert, describe, it } from "@effect/vitest"
import { frozenVenue, send } from "./faultsVenue.ts"

const hex = (value: number) => `0x${value.toString(16)}`

describe("A node that is behind", () => {
  it("has neither the newest blocks nor their logs, and an honest answer for all before", async () => {
    const { port, sim, stop, during, control } = await frozenVenue()
    sim.advance(20_000)
    const ask = async (method: string, ...params: ReadonlyArray<unknown>) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      return JSON.parse((await send(port, "/rpc", { method: "POST", body })).body)
    }
    const lastTen = { fromBlock: hex(sim.head - 9), toBlock: hex(sim.head) }
    const firstSix = { fromBlock: hex(sim.head - 9), toBlock: hex(sim.head - 4) }
    const { result: all } = await ask("eth_getLogs", lastTen)
    const { result: early } = await ask("eth_getLogs", firstSix)
    assert.isAbove(all.length, early.length)
    const fault = { upstream: "rpc", channel: "http", kind: "behind", blocks: 4 }
    await during(fault, async () => {
      assert.strictEqual((await ask("eth_blockNumber")).result, hex(sim.head - 4))
      assert.strictEqual((await ask("eth_getBlockByNumber", "latest", false)).result.number, hex(sim.head - 4))
      assert.isNull((await ask("eth_getBlockByNumber", hex(sim.head - 3), false)).result)
      assert.deepStrictEqual((await ask("eth_getLogs", lastTen)).result, early)
      const blockHash = sim.chain.hashOf(sim.head)
      assert.match((await ask("eth_getLogs", { blockHash })).error.message, /unknown block/)
    })
    assert.deepStrictEqual((await ask("eth_getLogs", lastTen)).result, all)
    const elsewhere = await control("POST", "/faults", { ...fault, upstream: "gamma" })
    assert.deepStrictEqual(elsewhere, { status: 400, body: { error: "kind: behind can happen to rpc only" } })
    await stop()
  })
})
