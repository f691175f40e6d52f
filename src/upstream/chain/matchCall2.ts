import type { Hex } from "viem"
import { decodeFunctionData, parseAbi, toFunctionSelector } from "viem/utils"
import type { SignedOrder } from "./orderHash.ts"

/** Orders that a call matches, with their amounts. */
export interface MatchCall {
  /** 64 digits. */
  readonly condition: string
  readonly taker: SignedOrder
  readonly makers: ReadonlyArray<SignedOrder>
  /** What each order gives, in collateral or shares. */
  readonly takerFill: bigint
  readonly makerFills: ReadonlyArray<bigint>
  readonly takerFee: bigint
  readonly makerFees: ReadonlyArray<bigint>
}

const abi = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }",
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])

export const selector2 = toFunctionSelector(abi[0])

/** A call of the second exchanges; undefined if it matches no orders. */
export const readMatchCall2 = (input: string): MatchCall | undefined => {
  if (!input.startsWith(selector2)) return undefined
  const [condition, taker, makers, takerFill, makerFills, takerFee, makerFees] = decodeFunctionData({
    abi,
    data: input as Hex,
  }).args
  return { condition: condition.slice(2), taker, makers, takerFill, makerFills, takerFee, makerFees }
}
