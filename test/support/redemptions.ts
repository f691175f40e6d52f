import { payoutOf } from "#src/simulator/world/Books.ts"
import type { Facts } from "#src/simulator/world/Facts.ts"
import type { Market } from "#src/simulator/world/Venue.ts"

/** What a redemption of a wallet is on the chain: modules, as those of combos, redeem each outcome with a log of its own. */
export const redemptionsOf = (facts: Facts, tx: number, market: Market) => {
  const amounts = [facts.amount.get(tx), facts.second.get(tx)]
  const outcomes = [0, 1].filter((outcome) => amounts[outcome] !== 0)
  if (market.legs === undefined) return [{ payout: facts.extra.get(tx), outcomes }]
  const [first, second] = market.payouts ?? [0, 1]
  return outcomes.map((outcome) => ({
    payout: payoutOf(amounts[outcome] ?? 0, outcome === 0 ? first : second, first + second),
    outcomes: [outcome],
  }))
}
