import type { TextOrChunks } from "../../wire.ts"
import { codeAt } from "./accounts.ts"
import { blockOf, receiptOf, receiptsOf } from "./blocks.ts"
import { callResult, stateParam } from "./call.ts"
import { baseFeeOf, quantity, tip } from "./format.ts"
import { batchLogs, logsJson } from "./logs.ts"
import { blockParam, booleanParam, hexParam, isHash, logFilter, type NodeView, visibleBlock } from "./params.ts"
import { type BatchCalls, errorCode, isObject, RpcError } from "./protocol.ts"
import { transactionOf } from "./transactions.ts"

type Method = (node: NodeView, params: ReadonlyArray<unknown>) => TextOrChunks

const text = (value: unknown) => JSON.stringify(value)
const blockText = (node: NodeView, block: number | undefined, full: boolean) =>
  text(block === undefined ? null : blockOf(node, block, full))

/** A transaction in a block or in the mempool. */
const knownTx = (node: NodeView, hash: unknown): number | undefined =>
  node.chain.txByHash(hexParam(hash, 32, 0, "transaction hash"))

const methods: Readonly<Record<string, Method>> = {
  eth_chainId: () => text("0x89"),
  net_version: () => text("137"),
  web3_clientVersion: () => text("bor/v2.2.9/presage-simulator"),
  eth_syncing: () => text(false),
  eth_gasPrice: (node) => text(quantity(baseFeeOf(node.head) + tip)),
  eth_blockNumber: (node) => text(quantity(node.head)),
  eth_getBlockByNumber: (node, [block, full]) =>
    blockText(node, visibleBlock(node, blockParam(node, block, 0)), booleanParam(full, 1, "full transactions")),
  eth_getBlockByHash: (node, [hash, full]) =>
    blockText(
      node,
      visibleBlock(node, node.chain.blockByHash(hexParam(hash, 32, 0, "block hash"))),
      booleanParam(full, 1, "full transactions"),
    ),
  eth_call: (node, params) => text(callResult(node, params)),
  eth_getCode: (node, [account, block]) => {
    stateParam(node, block)
    return text(codeAt(node, hexParam(account, 20, 0, "address")))
  },
  eth_getLogs: (node, [filter]) => logsJson(node, logFilter(node, filter)),
  eth_getTransactionByHash: (node, [hash]) => {
    const tx = knownTx(node, hash)
    return text(tx === undefined ? null : transactionOf(node, tx))
  },
  eth_getTransactionReceipt: (node, [hash]) => {
    const tx = knownTx(node, hash)
    return (tx === undefined ? undefined : receiptOf(node, tx)) ?? "null"
  },
  eth_getBlockReceipts: (node, [which]) => {
    const block = visibleBlock(node, isHash(which) ? node.chain.blockByHash(which) : blockParam(node, which, 0))
    return block === undefined ? "null" : `[${receiptsOf(node, block).join(",")}]`
  },
}

/** Calls a method that both HTTP and WebSocket support. */
export const callMethod: (node: NodeView, method: string, params: ReadonlyArray<unknown>) => TextOrChunks = (
  node,
  method,
  params,
) => {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) {
    throw new RpcError(errorCode.unknownMethod, `the method ${method} does not exist/is not available`)
  }
  return found(node, params)
}

const filtersIn = (requests: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  requests.flatMap((request) =>
    isObject(request) && request["method"] === "eth_getLogs" && Array.isArray(request["params"])
      ? [request["params"][0]]
      : [],
  )

/** The methods for one batch of requests. */
export const batchCalls =
  (node: NodeView): BatchCalls =>
  (requests) => {
    const logs = batchLogs(node, filtersIn(requests))
    return (method, params) => (method === "eth_getLogs" ? logs(params[0]) : callMethod(node, method, params))
  }
