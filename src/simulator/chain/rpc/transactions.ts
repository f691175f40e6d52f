import { hexOf, seedOf } from "../../random.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { Act } from "../../world/Facts.ts"
import type { Wallet } from "../../world/model.ts"
import { address } from "../contracts.ts"
import type { Exchange } from "../exchanges.ts"
import { collateralAdapterOf } from "../logs/positions.ts"
import { derived, quantity } from "./format.ts"
import { baseFeeOf, gasOf, tip } from "./gas.ts"
import { matchOrdersInput } from "./matchOrders.ts"
import { shown } from "./params.ts"
import type { Sight } from "./Sight.ts"

/** Accounts of the venue that send matches, reports and the calls of wallets without gas of their own. */
const operators = Array.from({ length: 8 }, (_, i) => `0x${hexOf(20, seedOf(0, "operators"), i)}`)

/** Who splits, merges, converts and redeems. */
const positionsContract = (exchange: Exchange): string => {
  if (exchange.generation === 3) return address.comboModule
  if (exchange.generation === 2) return collateralAdapterOf(exchange)
  return exchange.negRisk ? address.negRiskAdapter : address.ctf
}

/** The contract that does the work. */
const contractOf = (sim: Sight, act: number): string => {
  switch (sim.made.world.facts.kind.get(act)) {
    case Act.wrap:
    case Act.migrate:
      return address.collateralOnramp
    case Act.unwrap:
      return address.collateralOfframp
    case Act.approve:
      return address.positionManager
    case Act.rebate:
    case Act.reward:
      return address.pusd
  }
  const exchange = sim.logs.exchangeOf(act)
  switch (sim.made.world.facts.kind.get(act)) {
    case Act.match:
      return exchange.generation === 1 ? exchange.feeModule : exchange.address
    case Act.transfer:
      return exchange.tokens
    case Act.redeem:
      return sim.logs.isAutomatic(act) ? address.autoRedeemer : positionsContract(exchange)
    case Act.prepare:
    case Act.resolve:
      if (exchange.generation === 3) return address.comboModule
      return exchange.negRisk ? address.negRiskAdapter : address.umaAdapter
    default:
      return positionsContract(exchange)
  }
}

/** Who sends it where: plain accounts call contracts themselves, the other wallets are called for by an operator. */
export const partiesOf = (sim: Sight, act: number): { readonly from: string; readonly to: string } => {
  const { facts } = sim.made.world
  const operator = operators[act % operators.length] as string
  const to = contractOf(sim, act)
  const wallet = sim.made.wallets[facts.wallet.get(act)]
  if (wallet === undefined || facts.kind.get(act) === Act.match) return { from: operator, to }
  return wallet.kind === "eoa" ? { from: wallet.address, to } : { from: operator, to: entranceOf(wallet) }
}

const entranceOf = ({ kind, address: own }: Wallet): string => {
  if (kind === "proxy") return address.proxyFactory
  return kind === "deposit" ? address.depositFactory : own
}

const isSecondMatch = (sim: Sight, act: number) =>
  sim.made.world.facts.kind.get(act) === Act.match && sim.logs.exchangeOf(act).generation > 1

/** The block that shows a transaction, if one does by now. */
export const blockShowing = (sim: Sight, act: number): number | undefined =>
  shown(sim, sim.made.world.facts.block.get(act) + firstBlock)

/** Where a transaction stands in its block. */
export const placeOf = (sim: Sight, act: number, block: number) => ({
  blockHash: sim.chain.hashOf(block),
  blockNumber: quantity(block),
  transactionIndex: quantity(act - sim.chain.actsOf(block)[0]),
})

const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null }

const signatureNumber = (digest: string, purpose: string) => `0x${derived(32, digest, purpose).replace(/^0+/, "")}`

export const transactionOf = (sim: Sight, act: number) => {
  const block = blockShowing(sim, act)
  const hash = sim.chain.transactionHash(act)
  const most = 2 * baseFeeOf(0) + tip
  const yParity = quantity(act % 2)
  return {
    ...(block === undefined ? nowhere : placeOf(sim, act, block)),
    hash,
    ...partiesOf(sim, act),
    input: isSecondMatch(sim, act) ? matchOrdersInput(sim, act) : "0x",
    value: "0x0",
    // Rises for every sender, with gaps where others sent.
    nonce: quantity(act),
    type: "0x2",
    chainId: "0x89",
    gas: quantity(Math.ceil(gasOf(sim.made.world.facts, act) * 1.25)),
    gasPrice: quantity(block === undefined ? most : baseFeeOf(block) + tip),
    maxFeePerGas: quantity(most),
    maxPriorityFeePerGas: quantity(tip),
    accessList: [],
    yParity,
    v: yParity,
    r: signatureNumber(hash, "r"),
    s: signatureNumber(hash, "s"),
  }
}
