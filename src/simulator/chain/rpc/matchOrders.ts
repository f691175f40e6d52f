import type { ContractFunctionArgs, Hex } from "viem"
import { encodeAbiParameters, parseAbi, toFunctionSelector } from "viem/utils"
import { hash, seedOf } from "../../random.ts"
import { Side } from "../../world/Facts.ts"
import type { Wallet, WalletKind } from "../../world/model.ts"
import { derived } from "./format.ts"
import type { NodeView } from "./params.ts"

const abi = parseAbi([
  "struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }",
  "function matchOrders(bytes32 conditionId, Order takerOrder, Order[] makerOrders, uint256 takerFillAmount, uint256[] makerFillAmounts, uint256 takerFeeAmount, uint256[] makerFeeAmounts)",
])
const selector = toFunctionSelector(abi[0])

type Order = ContractFunctionArgs<typeof abi, "nonpayable", "matchOrders">[1]

const signatureType: Readonly<Record<WalletKind, number>> = { eoa: 0, proxy: 1, safe: 2, deposit: 3 }
const zeroWord: Hex = `0x${"0".repeat(64)}`
const seed = seedOf(0, "resting orders")
const longestRestMillis = 3_600_000

/** The amount that a filled order gave. */
const givenIn = ({ facts }: NodeView["model"]["world"], fill: number): bigint =>
  BigInt(facts.side.get(fill) === Side.buy ? facts.usd.get(fill) : facts.shares.get(fill))

/** The order of a fill. A resting order may be several times larger, at the same price. */
const orderOf = (node: NodeView, fill: number, at: number, rests: boolean): Order => {
  const { facts, venue } = node.model.world
  const orderHash = node.logs.orderHash(fill)
  const wallet = node.model.wallets[facts.maker.get(fill)] as Wallet
  const size = BigInt(rests ? 1 + (hash(seed, fill, 1) % 4) : 1)
  const [usd, shares] = [BigInt(facts.usd.get(fill)) * size, BigInt(facts.shares.get(fill)) * size]
  const side = facts.side.get(fill)
  return {
    salt: BigInt(orderHash.slice(0, 14)),
    maker: wallet.address as Hex,
    signer: (wallet.kind === "deposit" ? wallet.address : wallet.owner) as Hex,
    tokenId: BigInt(`0x${venue.tokens[facts.fillToken.get(fill)]?.hex ?? "0"}`),
    makerAmount: side === Side.buy ? usd : shares,
    takerAmount: side === Side.buy ? shares : usd,
    side,
    signatureType: signatureType[wallet.kind],
    timestamp: BigInt(Math.floor(at) - (hash(seed, fill, 2) % (rests ? longestRestMillis : 500))),
    metadata: zeroWord,
    builder: (node.model.builders[facts.builder.get(fill) - 1]?.code ?? zeroWord) as Hex,
    signature: `0x${derived(64, orderHash, "signature")}${fill % 2 === 0 ? "1b" : "1c"}`,
  }
}

/** The call with which an operator settles a match on an exchange of the second generation. */
export const matchOrdersInput = (node: NodeView, tx: number): Hex => {
  const { world } = node.model
  const { facts, venue } = world
  const first = facts.firstFill.get(tx)
  const own = first + facts.fillCount.get(tx) - 1
  const makers = Array.from({ length: own - first }, (_, i) => first + i)
  const at = facts.at.get(tx)
  const conditionId = (venue.markets[facts.market.get(tx)]?.conditionId ?? zeroWord) as Hex
  const args = encodeAbiParameters(abi[0].inputs, [
    conditionId,
    orderOf(node, own, at, false),
    makers.map((fill) => orderOf(node, fill, at, true)),
    givenIn(world, own),
    makers.map((fill) => givenIn(world, fill)),
    BigInt(facts.fee.get(own)),
    makers.map((fill) => BigInt(facts.fee.get(fill))),
  ])
  return `${selector}${args.slice(2)}`
}
