import type { Hex } from "viem"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils"
import { MalformedReply } from "./answers.ts"
import { type RpcFailure, RpcRefusal } from "./failures.ts"
import type { RpcCall } from "./rpc.ts"

const abi = parseAbi(["function getOwners() view returns (address[])"])
const functionName = "getOwners"

const newest = "latest"

export const codeCall = (address: Hex): RpcCall => ({ method: "eth_getCode", params: [address, newest] })

/** The code of a contract in lower case; `0x` without one. */
export const readCode = (result: unknown): Hex => {
  if (typeof result !== "string" || !/^0x([0-9a-f]{2})*$/i.test(result)) {
    throw new MalformedReply("eth_getCode: not hexadecimal digits")
  }
  return result.toLowerCase() as Hex
}

export const ownersCall = (safe: Hex): RpcCall => ({
  method: "eth_call",
  params: [{ to: safe, data: encodeFunctionData({ abi, functionName }) }, newest],
})

/** The owners of a Safe; undefined for contracts that answer otherwise. */
export const readOwners = (result: unknown): ReadonlyArray<Hex> | undefined => {
  try {
    const owners = decodeFunctionResult({ abi, functionName, data: readCode(result) })
    return owners.map((owner) => owner.toLowerCase() as Hex)
  } catch {
    return undefined
  }
}

/** Nodes word this differently. */
const revertWords = /revert|invalid opcode|invalid jump|out of gas|stack (und|ov)erflow|vm execution/i

/** Whether the contract refused the call, not the node. */
export const isReverted = (failure: RpcFailure): boolean =>
  failure instanceof RpcRefusal && (failure.code === 3 || revertWords.test(failure.detail))
