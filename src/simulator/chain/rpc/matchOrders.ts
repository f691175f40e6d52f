import type { ContractFunctionArgs, Hex } from "viem"
import { encodeAbiParameters, parseAbi, toFunctionSelector } from "viem/utils"
import { Side } from "../../world/Facts.ts"
import { zeroWord } from "../abi.ts"
import { derived } from "./format.ts"
import type { NodeView } from "./params.ts"

const abi = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }",
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])
const selector = toFunctionSelector(abi[0])

type WireOrder = ContractFunctionArgs<typeof abi, "nonpayable", "matchOrders">[1]

const emptyWord: Hex = `0x${zeroWord}`

/** The amount that a filled order gave. */
const givenIn = ({ facts }: NodeView["model"]["world"], fill: number): bigint =>
  BigInt(facts.side.get(fill) === Side.buy ? facts.usd.get(fill) : facts.shares.get(fill))

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

/** The call with which an operator settles a match on an exchange of the second generation. */
export const matchOrdersInput = (node: NodeView, tx: number): Hex => {
  const { world } = node.model
  const { facts, venue } = world
  const first = facts.firstFill.get(tx)
  const own = first + facts.fillCount.get(tx) - 1
  const makers = Array.from({ length: own - first }, (_, i) => first + i)
  const conditionId = (venue.markets[facts.market.get(tx)]?.conditionId ?? emptyWord) as Hex
  const args = encodeAbiParameters(abi[0].inputs, [
    conditionId,
    orderOf(node, own),
    makers.map((fill) => orderOf(node, fill)),
    givenIn(world, own),
    makers.map((fill) => givenIn(world, fill)),
    BigInt(facts.fee.get(own)),
    makers.map((fill) => BigInt(facts.fee.get(fill))),
  ])
  return `${selector}${args.slice(2)}`
}
