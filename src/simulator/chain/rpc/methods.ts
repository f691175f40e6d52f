import type { Text } from "../../pieces.ts"
import { blockOf } from "./blocks.ts"
import { logFilter } from "./filters.ts"
import { quantity } from "./format.ts"
import { baseFeeOf, tip } from "./gas.ts"
import { logsOfBatch, logsText } from "./logs.ts"
import { bytesAt, flagAt, heightAt, isHash, shown } from "./params.ts"
import { type Calls, isObject } from "./protocol.ts"
import { errorCode, RpcError } from "./RpcError.ts"
import { receiptOf, receiptsOf } from "./receipts.ts"
import type { Sight } from "./Sight.ts"
import { transactionOf } from "./transactions.ts"

type Method = (sim: Sight, params: ReadonlyArray<unknown>) => Text

const text = (value: unknown) => JSON.stringify(value)
const blockText = (sim: Sight, block: number | undefined, full: boolean) =>
  text(block === undefined ? null : blockOf(sim, block, full))

/** A transaction that a node knows: in a block, or waiting for one. */
const knownAct = (sim: Sight, hash: unknown): number | undefined =>
  sim.chain.actWith(bytesAt(hash, 32, 0, "transaction hash"))

const methods: Readonly<Record<string, Method>> = {
  eth_chainId: () => text("0x89"),
  net_version: () => text("137"),
  web3_clientVersion: () => text("bor/v2.2.9/presage-simulator"),
  eth_syncing: () => text(false),
  eth_gasPrice: (sim) => text(quantity(baseFeeOf(sim.head) + tip)),
  eth_blockNumber: (sim) => text(quantity(sim.head)),
  eth_getBlockByNumber: (sim, [block, full]) =>
    blockText(sim, shown(sim, heightAt(sim, block, 0)), flagAt(full, 1, "full transactions")),
  eth_getBlockByHash: (sim, [hash, full]) =>
    blockText(
      sim,
      shown(sim, sim.chain.blockWith(bytesAt(hash, 32, 0, "block hash"))),
      flagAt(full, 1, "full transactions"),
    ),
  eth_getLogs: (sim, [filter]) => logsText(sim, logFilter(sim, filter)),
  eth_getTransactionByHash: (sim, [hash]) => {
    const act = knownAct(sim, hash)
    return text(act === undefined ? null : transactionOf(sim, act))
  },
  eth_getTransactionReceipt: (sim, [hash]) => {
    const act = knownAct(sim, hash)
    return (act === undefined ? undefined : receiptOf(sim, act)) ?? "null"
  },
  eth_getBlockReceipts: (sim, [which]) => {
    const block = shown(sim, isHash(which) ? sim.chain.blockWith(which) : heightAt(sim, which, 0))
    return block === undefined ? "null" : `[${receiptsOf(sim, block).join(",")}]`
  },
}

/** Calls a method that HTTP and WebSocket have in common. */
export const callMethod: (sim: Sight, method: string, params: ReadonlyArray<unknown>) => Text = (
  sim,
  method,
  params,
) => {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) {
    throw new RpcError(errorCode.unknownMethod, `the method ${method} does not exist/is not available`)
  }
  return found(sim, params)
}

const filtersIn = (requests: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  requests.flatMap((request) =>
    isObject(request) && request["method"] === "eth_getLogs" && Array.isArray(request["params"])
      ? [request["params"][0]]
      : [],
  )

/** The methods for requests that come together. */
export const callsOn =
  (sim: Sight): Calls =>
  (requests) => {
    const logs = logsOfBatch(sim, filtersIn(requests))
    return (method, params) => (method === "eth_getLogs" ? logs(params[0]) : callMethod(sim, method, params))
  }
