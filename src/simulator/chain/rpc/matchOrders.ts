import type { ContractFunctionArgs, Hex } from "viem"
import { encodeAbiParameters, parseAbi, parseAbiParameters, toFunctionSelector } from "viem/utils"
import { Side } from "../../world/Facts.ts"
import { zeroWord } from "../abi.ts"
import { derived } from "./format.ts"
import type { NodeView } from "./params.ts"

const order =
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }"
const abi = parseAbi([
  order,
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])
const selector2 = toFunctionSelector(abi[0])

/** The third exchange gets the taker's amounts last, and no condition. The name of its function is not known. */
const parameters3 = parseAbiParameters([
  "Order takerOrder, Order[] makerOrders, uint256[] makerFillAmounts, uint256[] makerFeeAmounts, uint256 takerFillAmount, uint256 takerReceived, uint256 takerFeeAmount",
  order,
])
const selector3 = "0x0fb25ba4"

type WireOrder = ContractFunctionArgs<typeof abi, "nonpayable", "matchOrders">[1]

const emptyWord: Hex = `0x${zeroWord}`

/** The amounts that a filled order gave and received. */
const amountsOf = ({ facts }: NodeView["model"]["world"], fill: number): readonly [bigint, bigint] => {
  const [usd, shares] = [BigInt(facts.usd.get(fill)), BigInt(facts.shares.get(fill))]
  return facts.side.get(fill) === Side.buy ? [usd, shares] : [shares, usd]
}

const orderOf = ({ logs }: NodeView, fill: number): WireOrder => {
  const { salt, maker, signer, token, makerAmount, takerAmount, side, signatureType, timestamp, builder } =
    logs.orders.of(fill)
  return {
    salt: BigInt(salt),
    maker: maker as Hex,
    signer: signer as Hex,
    tokenId: BigInt(token.id),
    makerAmount: BigInt(makerAmount),
    takerAmount: BigInt(takerAmount),
    side,
    signatureType,
    timestamp: BigInt(timestamp),
    metadata: emptyWord,
    builder: `0x${builder}`,
    signature: `0x${derived(64, logs.orders.hashOf(fill), "signature")}${salt % 2 === 0 ? "1b" : "1c"}`,
  }
}

/** The call with which an operator settles a match on an exchange of the second generation or later. */
export const matchOrdersInput = (node: NodeView, tx: number): Hex => {
  const { world } = node.model
  const { facts, venue } = world
  const first = facts.firstFill.get(tx)
  const own = first + facts.fillCount.get(tx) - 1
  const fills = Array.from({ length: own - first }, (_, i) => first + i)
  const taker = orderOf(node, own)
  const [takerFill, takerReceived] = amountsOf(world, own)
  const takerFee = BigInt(facts.fee.get(own))
  const makers = fills.map((fill) => orderOf(node, fill))
  const makerFills = fills.map((fill) => amountsOf(world, fill)[0])
  const makerFees = fills.map((fill) => BigInt(facts.fee.get(fill)))
  if (node.logs.exchangeOf(tx).generation === 3) {
    const amounts = [takerFill, takerReceived, takerFee] as const
    const args = encodeAbiParameters(parameters3, [taker, makers, makerFills, makerFees, ...amounts])
    return `${selector3}${args.slice(2)}`
  }
  const condition = (venue.markets[facts.market.get(tx)]?.conditionId ?? emptyWord) as Hex
  const args = encodeAbiParameters(abi[0].inputs, [
    condition,
    taker,
    makers,
    takerFill,
    makerFills,
    takerFee,
    makerFees,
  ])
  return `${selector2}${args.slice(2)}`
}
