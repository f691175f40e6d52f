import { hexOf, seedOf } from "../../random.ts"
import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import { Act } from "../../world/Facts.ts"
import type { Wallet } from "../../world/model.ts"
import type { Market } from "../../world/Venue.ts"
import { address } from "../contracts.ts"
import { derived, quantity } from "./format.ts"
import { baseFeeOf, gasOf, tip } from "./gas.ts"
import { matchOrdersInput } from "./matchOrders.ts"
import { shown } from "./params.ts"

/** Accounts of the venue that send matches, reports and the calls of wallets without gas of their own. */
const operators = Array.from({ length: 8 }, (_, i) => `0x${hexOf(20, seedOf(0, "operators"), i)}`)

const marketOf = (sim: Simulation, act: number): Market | undefined =>
  sim.made.world.venue.markets[sim.made.world.facts.market.get(act)]

const isNegRisk = (market: Market | undefined) => market?.event.plan.negRisk === true

/** The contract that does the work. */
const contractOf = (sim: Simulation, act: number): string => {
  const market = marketOf(sim, act)
  switch (sim.made.world.facts.kind.get(act)) {
    case Act.match:
      if (market?.exchange === "ctf1") return address.feeModule
      if (market?.exchange === "negRisk1") return address.negRiskFeeModule
      return address[market?.exchange ?? "ctf2"]
    case Act.convert:
      return address.negRiskAdapter
    case Act.prepare:
    case Act.resolve:
      return isNegRisk(market) ? address.negRiskAdapter : address.umaAdapter
    case Act.wrap:
      return address.collateralOnramp
    case Act.unwrap:
      return address.collateralOfframp
    case Act.transfer:
      return address.ctf
    default:
      return isNegRisk(market) ? address.negRiskAdapter : address.ctf
  }
}

/** Who sends it where: plain accounts call contracts themselves, the other wallets are called for by an operator. */
export const partiesOf = (sim: Simulation, act: number): { readonly from: string; readonly to: string } => {
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

const isSecondMatch = (sim: Simulation, act: number) => {
  const exchange = marketOf(sim, act)?.exchange
  return sim.made.world.facts.kind.get(act) === Act.match && (exchange === "ctf2" || exchange === "negRisk2")
}

/** The block that shows a transaction, if one does by now. */
export const blockShowing = (sim: Simulation, act: number): number | undefined =>
  shown(sim, sim.made.world.facts.block.get(act) + firstBlock)

/** Where a transaction stands in its block. */
export const placeOf = (sim: Simulation, act: number, block: number) => ({
  blockHash: sim.chain.hashOf(block),
  blockNumber: quantity(block),
  transactionIndex: quantity(act - sim.chain.actsOf(block)[0]),
})

const nowhere = { blockHash: null, blockNumber: null, transactionIndex: null }

const signatureNumber = (digest: string, purpose: string) => `0x${derived(32, digest, purpose).replace(/^0+/, "")}`

export const transactionOf = (sim: Simulation, act: number) => {
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
