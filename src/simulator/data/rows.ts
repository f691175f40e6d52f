import { usd } from "../gamma/GammaView.ts"
import { pictureOf } from "../pictures.ts"
import type { Simulation } from "../Simulation.ts"
import { Side } from "../world/Facts.ts"
import type { Wallet } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import { displayNameOf } from "../world/wallets.ts"
import type { Ledger } from "./Ledger.ts"
import { snakeCase } from "./Params.ts"

export const nameOf = ({ sim }: Ledger, wallet: Wallet): string => displayNameOf(wallet, sim.model.world.start)

/** The profile fields of a row. */
export const profileFields = (ledger: Ledger, wallet: Wallet) => ({
  name: nameOf(ledger, wallet),
  pseudonym: wallet.pseudonym,
  bio: "",
  profileImage: "",
  profileImageOptimized: "",
})

export const marketFields = (sim: Simulation, { plan, event }: Market) => ({
  title: plan.question,
  slug: plan.slug,
  icon: pictureOf(sim, event.plan.category),
  eventSlug: event.plan.slug,
})

export const outcomeFields = ({ market, outcome }: Token) => ({
  outcome: market.plan.outcomes[outcome],
  outcomeIndex: outcome,
})

export const sideName = (side: number): "BUY" | "SELL" => (side === Side.buy ? "BUY" : "SELL")

/** A fill as a v1 row. */
export const tradeRow = (ledger: Ledger, fill: number, tx = ledger.facts.txOf(fill)) => {
  const { facts } = ledger
  const wallet = ledger.wallet(facts.maker.get(fill))
  const token = ledger.token(facts.fillToken.get(fill))
  return {
    proxyWallet: wallet.address,
    side: sideName(facts.side.get(fill)),
    asset: token.id,
    conditionId: token.market.conditionId,
    size: usd(facts.shares.get(fill)),
    price: facts.usd.get(fill) / facts.shares.get(fill),
    timestamp: ledger.timeOf(tx),
    ...marketFields(ledger.sim, token.market),
    ...outcomeFields(token),
    ...profileFields(ledger, wallet),
    transactionHash: ledger.sim.chain.transactionHash(tx),
  }
}

/** v2 uses snake_case and calls an asset a token. */
export const toV2Row = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name === "asset" ? "token_id" : snakeCase(name), value]),
  )
