import { assert, describe, it } from "@effect/vitest"
import { numberToHex } from "viem"
import { address } from "#src/simulator/chain/contracts.ts"
import { rpcService } from "#src/simulator/chain/rpc/rpcService.ts"
import { faultRoutes } from "#src/simulator/control/faultRoutes.ts"
import { JsonBody } from "#src/simulator/control/request.ts"
import { nodeProfiles } from "#src/simulator/faults/Fault.ts"
import { candidatesOf } from "#src/simulator/faults/schedule.ts"
import { Query } from "#src/simulator/gamma/Query.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { toText } from "#src/simulator/wire.ts"
import { type Answer, connected, frozenSimulation, minute, wireRequest } from "./rpcClient.ts"

const switchOn = (sim: Simulation, fault: object) =>
  faultRoutes(sim)["POST /faults"]?.({
    key: "",
    query: new Query(new URLSearchParams()),
    body: () => new JsonBody(JSON.stringify({ upstream: "rpc", ...fault })),
  })

const withProfile = (kind: string, http: object = {}, socket: object = {}) => {
  const sim = frozenSimulation(7)
  switchOn(sim, { channel: "http", kind, ...http })
  switchOn(sim, { channel: "socket", kind, ...socket })
  return sim
}

const send = (sim: Simulation, request: unknown) => {
  const { status, body } = rpcService(sim)(wireRequest(JSON.stringify(request)))
  return { status, answer: JSON.parse(toText(body)) as Answer & ReadonlyArray<Answer> }
}

const logs = (from: number, to: number, id = 0) => ({
  jsonrpc: "2.0",
  id,
  method: "eth_getLogs",
  params: [{ fromBlock: numberToHex(from), toBlock: numberToHex(to), address: address.ctf }],
})

const newest = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_getBlockByNumber", params: ["latest", false] })

describe("Profiles of nodes", () => {
  it("alchemy-free: ranges of ten blocks, and a limit of compute units", () => {
    const sim = withProfile("alchemy-free", { units_per_second: 100 })
    const { answer } = send(sim, logs(sim.head - 10, sim.head))
    assert.strictEqual(answer.error?.code, -32600)
    assert.include(answer.error?.message, "up to a 10 block range")
    const statuses = Array.from({ length: 20 }, () => send(sim, newest(1)).status)
    assert.include(statuses, 429)
    assert.include(statuses, 200)
  })

  it("drpc-free: batches of three, refused with status 500 and an error for each call", () => {
    const sim = withProfile("drpc-free")
    const calls = (count: number) => Array.from({ length: count }, (_, id) => newest(id))
    assert.strictEqual(send(sim, calls(3)).status, 200)
    const { status, answer } = send(sim, calls(4))
    assert.strictEqual(status, 500)
    assert.deepStrictEqual(
      answer.map(({ id, error }) => [id, error?.code]),
      [0, 1, 2, 3].map((id) => [id, 31]),
    )
    assert.strictEqual(send(sim, logs(sim.head - 10_000, sim.head)).answer.error?.code, 35)
  })

  it("publicnode: pruned history, a limit of blocks, and timeouts of heavy ranges", () => {
    const sim = withProfile("publicnode", { kept_blocks: 5_000, range: 2_000, heavy_blocks: 1_000 })
    const refusalOf = (from: number, to: number) => send(sim, logs(from, to)).answer.error
    assert.strictEqual(refusalOf(sim.head - 5_001, sim.head - 5_000)?.message, "History has been pruned for this block")
    assert.strictEqual(refusalOf(sim.head - 2_000, sim.head)?.message, "exceed maximum block range: 2000")
    assert.deepStrictEqual(refusalOf(sim.head - 1_000, sim.head), { code: -32002, message: "request timed out" })
    assert.isUndefined(refusalOf(sim.head - 999, sim.head))
  })

  it("bor: some requests reach a lagging node; batches and their answers are limited", () => {
    const sim = withProfile("bor", { batch: 4, response_kb: 20 })
    const messages = Array.from({ length: 100 }, () => send(sim, logs(sim.head, sim.head)).answer.error?.message)
    const refusals = messages.filter((message) => message !== undefined)
    assert.deepStrictEqual([...new Set(refusals)], ["invalid block range params"])
    assert.isAbove(refusals.length, 5)
    assert.isBelow(refusals.length, 50)
    const batch = Array.from({ length: 5 }, (_, id) => newest(id))
    assert.include(send(sim, batch).answer.error?.message, "batch too large")
    const heavy = [logs(sim.head - 10_000, sim.head - 100), newest(1)]
    const { answer } = send(sim, heavy)
    assert.deepStrictEqual(answer[0]?.error, { code: -32003, message: "response too large" })
  })

  it("publicnode: filters of some addresses, but not of many", () => {
    const sim = withProfile("publicnode")
    const refusalOf = (addresses: ReadonlyArray<string> | undefined) => {
      const { params, ...call } = logs(sim.head, sim.head)
      return send(sim, { ...call, params: [{ ...params[0], address: addresses }] }).answer.error?.message
    }
    const addresses = (count: number) => Array.from({ length: count }, (_, i) => `0x${String(i).padStart(40, "0")}`)
    assert.include(refusalOf(undefined), "specify an address")
    assert.isUndefined(refusalOf(addresses(25)))
    assert.include(refusalOf(addresses(26)), "less number of addresses")
  })

  it("chainstack: no blocks, logs and balances older than the plan has", () => {
    const sim = withProfile("chainstack")
    const at = (number: number) => ({ ...newest(1), params: [numberToHex(number), false] })
    const call = (number: number) => ({ ...newest(1), method: "eth_call", params: [{}, numberToHex(number)] })
    const oldest = sim.head - 127
    for (const old of [at(oldest - 1), logs(oldest - 1, oldest), call(oldest - 1), [newest(1), at(1)]]) {
      const { status, answer } = send(sim, old)
      assert.strictEqual(status, 403)
      assert.strictEqual(answer.error?.code, -32002)
    }
    for (const recent of [at(oldest), logs(oldest, oldest), newest(1)])
      assert.strictEqual(send(sim, recent).status, 200)
  })

  it("send pending transactions each in its own way", () => {
    const sent = (kind: string, ...params: ReadonlyArray<unknown>) => {
      const sim = withProfile(kind)
      const socket = connected(sim)
      const id = socket.subscribe(...params)
      sim.advance(minute)
      const types = new Set(socket.received(id).map((each) => typeof each))
      return [...types].join()
    }
    assert.strictEqual(sent("bor", "newPendingTransactions", true), "object")
    assert.strictEqual(sent("publicnode", "newPendingTransactions", true), "object")
    for (const kind of ["alchemy-free", "drpc-free", "chainstack"]) {
      assert.strictEqual(sent(kind, "newPendingTransactions", true), "string", kind)
    }
    assert.strictEqual(sent("alchemy-free", "alchemy_pendingTransactions", {}), "object")
    assert.strictEqual(sent("alchemy-free", "alchemy_pendingTransactions", { hashesOnly: true }), "string")
    assert.strictEqual(sent("alchemy-free", "alchemy_pendingTransactions", { toAddress: [`0x${"1".repeat(40)}`] }), "")
    assert.strictEqual(sent("chainstack", "newPendingTransactionsWithBody"), "object")
    assert.throws(() => sent("drpc-free", "newPendingTransactionsWithBody"), /subscription/)
  })

  it("are not chosen by a schedule, and apply to the chain only", () => {
    const sim = frozenSimulation(7)
    const chosen = new Set(candidatesOf({ kinds: null, upstreams: null }).map(({ kind }) => kind))
    assert.isFalse(nodeProfiles.some((profile) => chosen.has(profile)))
    assert.throws(() => switchOn(sim, { upstream: "gamma", channel: "http", kind: "bor" }), /rpc only/)
  })
})
