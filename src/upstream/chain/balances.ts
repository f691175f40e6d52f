import type { Hex } from "viem"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils"
import { MalformedReply } from "./answers.ts"
import { address } from "./contracts.ts"

const abi = parseAbi(["function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])"])
const functionName = "balanceOfBatch"

/** A wallet (40 digits) and a token (64 digits). */
export interface Holding {
  readonly wallet: string
  readonly token: string
}

const [reservedFrom, reservedTo] = [38, 54]
const reserved = "0".repeat(reservedTo - reservedFrom)

/**
 * The contract that holds a token. Ids of Protocol V2 begin with their module and have a reserved part of zeros; older
 * ids are hashes.
 */
export const ledgerOf = (token: string): string =>
  /^0[1-4]/.test(token) && token.slice(reservedFrom, reservedTo) === reserved ? address.positionManager : address.ctf

/** A call with few enough balances for the gas and size limits of providers. */
const balancesPerCall = 100

interface BalanceCall {
  readonly params: readonly [{ readonly to: Hex; readonly data: Hex }, block: Hex]
  /** Indexes of the holdings that it asks about. */
  readonly indexes: ReadonlyArray<number>
}

/** The calls that read these balances at a block. */
export const balanceCalls = (block: number, holdings: ReadonlyArray<Holding>): ReadonlyArray<BalanceCall> => {
  const byContract = Map.groupBy(holdings.keys(), (index) => ledgerOf(holdings[index]?.token ?? ""))
  return [...byContract].flatMap(([contract, all]) =>
    Array.from({ length: Math.ceil(all.length / balancesPerCall) }, (_, i) => {
      const indexes = all.slice(i * balancesPerCall, (i + 1) * balancesPerCall)
      const asked = indexes.map((index) => holdings[index] as Holding)
      const owners = asked.map(({ wallet }): Hex => `0x${wallet}`)
      const ids = asked.map(({ token }) => BigInt(`0x${token}`))
      const data = encodeFunctionData({ abi, functionName, args: [owners, ids] })
      return { params: [{ to: `0x${contract}`, data }, `0x${block.toString(16)}`], indexes }
    }),
  )
}

const decode = (result: unknown): ReadonlyArray<bigint> => {
  try {
    return decodeFunctionResult({ abi, functionName, data: result as Hex })
  } catch {
    throw new MalformedReply("eth_call: not a list of balances")
  }
}

/** The balances in the results of the calls, in the order of the holdings. */
export const readBalances = (
  calls: ReadonlyArray<BalanceCall>,
  results: ReadonlyArray<unknown>,
): ReadonlyArray<bigint> => {
  const balances: Array<bigint> = []
  calls.forEach(({ indexes }, i) => {
    const found = decode(results[i])
    if (found.length !== indexes.length) throw new MalformedReply("eth_call: another number of balances")
    indexes.forEach((index, k) => {
      balances[index] = found[k] as bigint
    })
  })
  return balances
}
