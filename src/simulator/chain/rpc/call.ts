import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionData, encodeFunctionResult, parseAbi } from "viem/utils"
import { codeAt, walletAt } from "./accounts.ts"
import { balanceAt, hasState, tokenContracts } from "./balances.ts"
import { derived } from "./format.ts"
import { blockParam, hexParam, type NodeView } from "./params.ts"
import { errorCode, invalidArgument, isObject, RpcError } from "./protocol.ts"

const abi = parseAbi([
  "function balanceOf(address owner, uint256 id) view returns (uint256)",
  "function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])",
])
const safeAbi = parseAbi(["function getOwners() view returns (address[])"])
const getOwners = encodeFunctionData({ abi: safeAbi })

const reverted = () => new RpcError(errorCode.refused, "execution reverted")

const decode = (data: string) => {
  try {
    return decodeFunctionData({ abi, data: data as Hex })
  } catch {
    throw reverted()
  }
}

/** The block of a call. Worded like the errors of a real node. */
export const stateParam = (node: NodeView, value: unknown): number => {
  const block = blockParam(node, value ?? "latest", 1)
  if (block > node.head) throw new RpcError(errorCode.refused, "header not found")
  if (hasState(node, block)) return block
  const root = derived(32, node.chain.hashOf(block), "stateRoot")
  throw new RpcError(errorCode.refused, `missing trie node ${root} (path ) state 0x${root} is not available, not found`)
}

/** The owner of a Safe; undefined for other contracts. */
const safeOwner = (node: NodeView, contract: string, input: unknown): Hex | undefined => {
  const wallet = walletAt(node, contract)
  return wallet?.kind === "safe" && input === getOwners ? (wallet.owner as Hex) : undefined
}

/** The result of a call: contracts answer only about balances of outcome tokens and owners of Safes. */
export const callResult = (node: NodeView, params: ReadonlyArray<unknown>): Hex => {
  const [call, at] = params
  if (!isObject(call)) throw invalidArgument(0, "call must be an object")
  const contract = hexParam(call["to"], 20, 0, "to")
  const block = stateParam(node, at)
  const input = call["input"] ?? call["data"]
  const owner = safeOwner(node, contract, input)
  if (owner !== undefined) return encodeFunctionResult({ abi: safeAbi, result: [owner] })
  // An address without code does nothing and succeeds.
  if (codeAt(node, contract) === "0x") return "0x"
  if (!tokenContracts.has(contract) || typeof input !== "string") throw reverted()
  const balanceOf = (owner: string, id: bigint) => balanceAt(node, block, contract, owner.toLowerCase(), id)
  const { functionName, args } = decode(input)
  if (functionName === "balanceOf") return encodeFunctionResult({ abi, functionName, result: balanceOf(...args) })
  const [owners, ids] = args
  if (owners.length !== ids.length) throw reverted()
  const result = owners.map((owner, i) => balanceOf(owner, ids[i] as bigint))
  return encodeFunctionResult({ abi, functionName, result })
}
