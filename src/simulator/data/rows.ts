import { imageOf } from "../gamma/market.ts"
import { usd } from "../gamma/View.ts"
import { Side } from "../world/Facts.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { Ledger } from "./Ledger.ts"
import { snakeCase } from "./Params.ts"
import { personFields } from "./people.ts"

export const marketFields = ({ plan, event }: Market) => ({
  title: plan.question,
  slug: plan.slug,
  icon: imageOf(event.plan.category),
  eventSlug: event.plan.slug,
})

export const outcomeFields = ({ market, outcome }: Token) => ({
  outcome: market.plan.outcomes[outcome],
  outcomeIndex: outcome,
})

export const sideName = (side: number): "BUY" | "SELL" => (side === Side.buy ? "BUY" : "SELL")

/** A filled order as the first generation shows it. */
export const tradeRow = (ledger: Ledger, fill: number, act = ledger.facts.actOf(fill)) => {
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
    timestamp: ledger.timeOf(act),
    ...marketFields(token.market),
    ...outcomeFields(token),
    ...personFields(ledger, wallet),
    transactionHash: ledger.sim.chain.transactionHash(act),
  }
}

/** The second generation spells names differently and calls an asset a token. */
export const secondGeneration = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name === "asset" ? "token_id" : snakeCase(name), value]),
  )
