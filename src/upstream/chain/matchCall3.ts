import type { Hex } from "viem"
import { decodeAbiParameters, parseAbiParameters } from "viem/utils"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import type { MatchCall } from "./matchCall2.ts"

/** The names of the functions are not known. The second one also prepares a combo, whose legs come last. */
export const selectors3: ReadonlyArray<string> = ["0x0fb25ba4", "0xe75cf6e5"]

const order =
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }"

const parameters = parseAbiParameters([
  "Order takerOrder, Order[] makerOrders, uint256[] makerFillAmounts, uint256[] makerFeeAmounts, uint256 takerFillAmount, uint256 takerReceived, uint256 takerFeeAmount",
  order,
])

/** A call of the third exchange; undefined if it matches no orders. */
export const readMatchCall3 = (input: string): MatchCall | undefined => {
  if (!selectors3.includes(input.slice(0, 10))) return undefined
  const [taker, makers, makerFills, makerFees, takerFill, , takerFee] = decodeAbiParameters(
    parameters,
    `0x${input.slice(10)}` as Hex,
  )
  return {
    condition: conditionOfPosition(taker.tokenId.toString(16).padStart(64, "0")),
    taker,
    makers,
    takerFill,
    makerFills,
    takerFee,
    makerFees,
  }
}
