import { hexOf, seedOf } from "../../random.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { TxKind } from "../../world/Facts.ts"
import type { Wallet } from "../../world/model.ts"
import { address, type Exchange } from "../contracts.ts"
import { collateralAdapterOf } from "../logs/positions.ts"
import { baseFeeOf, derived, gasOf, quantity, tip } from "./format.ts"
import { matchOrdersInput } from "./matchOrders.ts"
import { type NodeView, visibleBlock } from "./params.ts"

/** Accounts of the venue that send matches, reports and the calls of wallets that pay no gas. */
const operators = Array.from({ length: 8 }, (_, i) => `0x${hexOf(20, seedOf(0, "operators"), i)}`)

/** The contract that splits, merges, converts and redeems. */
const positionsContract = (exchange: Exchange): string => {
  if (exchange.generation === 3) return address.comboModule
  if (exchange.generation === 2) return collateralAdapterOf(exchange)
  return exchange.negRisk ? address.negRiskAdapter : address.ctf
}

/** The contract that executes a transaction. */
const contractOf = (node: NodeView, tx: number): string => {
  switch (node.model.world.facts.kind.get(tx)) {
    case TxKind.wrap:
    case TxKind.migrate:
      return address.collateralOnramp
    case TxKind.unwrap:
      return address.collateralOfframp
    case TxKind.approve:
      return address.positionManager
    case TxKind.rebate:
    case TxKind.reward:
      return address.pusd
  }
  const exchange = node.logs.exchangeOf(tx)
  switch (node.model.world.facts.kind.get(tx)) {
    case TxKind.match:
      return exchange.generation === 1 ? exchange.feeModule : exchange.address
    case TxKind.transfer:
      return exchange.tokens
    case TxKind.redeem:
      return node.logs.isAutomatic(tx) ? address.autoRedeemer : positionsContract(exchange)
    case TxKind.prepare:
    case TxKind.resolve:
      // Combos are only prepared.
      if (exchange.generation === 3) return address.comboModule
      return exchange.negRisk ? address.negRiskAdapter : address.umaAdapter
    default:
      return positionsContract(exchange)
  }
}

/** Sender and receiver: EOAs call contracts themselves, an operator calls for all other wallets. */
export const partiesOf = (node: NodeView, tx: number): { readonly from: string; readonly to: string } => {
  const { facts } = node.model.world
  const operator = operators[tx % operators.length] as string
  const to = contractOf(node, tx)
  const wallet = node.model.wallets[facts.wallet.get(tx)]
  if (wallet === undefined || facts.kind.get(tx) === TxKind.match) return { from: operator, to }
  return wallet.kind === "eoa" ? { from: wallet.address, to } : { from: operator, to: entryPointOf(wallet) }
}

const entryPointOf = ({ kind, address: own }: Wallet): string => {
  if (kind === "proxy") return address.proxyFactory
  return kind === "deposit" ? address.depositFactory : own
}

const isCurrentMatch = (node: NodeView, tx: number) =>
  node.model.world.facts.kind.get(tx) === TxKind.match && node.logs.exchangeOf(tx).generation > 1

/** The visible block of a transaction, if any. */
export const visibleBlockOf = (node: NodeView, tx: number): number | undefined =>
  visibleBlock(node, node.model.world.facts.block.get(tx) + firstBlock)

/** The position of a transaction in its block. */
export const blockPosition = (node: NodeView, tx: number, block: number) => ({
  blockHash: node.chain.hashOf(block),
  blockNumber: quantity(block),
  transactionIndex: quantity(tx - node.chain.txRange(block)[0]),
})

const pendingPosition = { blockHash: null, blockNumber: null, transactionIndex: null }

const signatureNumber = (digest: string, purpose: string) => `0x${derived(32, digest, purpose).replace(/^0+/, "")}`

export const transactionOf = (node: NodeView, tx: number) => {
  const block = visibleBlockOf(node, tx)
  const hash = node.chain.transactionHash(tx)
  const maxFee = 2 * baseFeeOf(0) + tip
  const yParity = quantity(tx % 2)
  return {
    ...(block === undefined ? pendingPosition : blockPosition(node, tx, block)),
    hash,
    ...partiesOf(node, tx),
    input: isCurrentMatch(node, tx) ? matchOrdersInput(node, tx) : "0x",
    value: "0x0",
    // Increases for every sender, with gaps.
    nonce: quantity(tx),
    type: "0x2",
    chainId: "0x89",
    gas: quantity(Math.ceil(gasOf(node.model.world.facts, tx) * 1.25)),
    gasPrice: quantity(block === undefined ? maxFee : baseFeeOf(block) + tip),
    maxFeePerGas: quantity(maxFee),
    maxPriorityFeePerGas: quantity(tip),
    accessList: [],
    yParity,
    v: yParity,
    r: signatureNumber(hash, "r"),
    s: signatureNumber(hash, "s"),
  }
}
