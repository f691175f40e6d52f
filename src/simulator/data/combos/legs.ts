import { legHex } from "../../chain/positionIds.ts"
import { imageOf } from "../../gamma/market.ts"
import { iso } from "../../gamma/times.ts"
import type { Leg, Market, Token } from "../../world/Venue.ts"
import { priceOf } from "../Holdings.ts"
import type { Ledger } from "../Ledger.ts"

export type ComboStatus = "OPEN" | "PARTIAL" | "RESOLVED_PARTIAL" | "RESOLVED_WIN" | "RESOLVED_LOSS"

/** What came of an outcome that pays so much of a share. */
export const resultOf = (price: number): ComboStatus => {
  if (price === 0) return "RESOLVED_LOSS"
  return price === 1 ? "RESOLVED_WIN" : "RESOLVED_PARTIAL"
}

const tokenOf = ({ venue }: Ledger, { market, outcome }: Leg): Token => venue.tokens[market.tokens[outcome]] as Token

export const isLegResolved = ({ market }: Leg): boolean => market.payouts !== undefined

const marketJson = ({ market, outcome }: Leg) => {
  const { plan, event } = market
  const image = imageOf(event.plan.category)
  return {
    market_id: market.id,
    slug: plan.slug,
    title: plan.question,
    outcome: plan.outcomes[outcome],
    image_url: image,
    icon_url: image,
    category: event.plan.category,
    subcategory: event.plan.tags[1]?.label ?? "",
    tags: event.plan.tags.map(({ label }) => label),
    end_date: iso(plan.endsAt),
    event: {
      event_id: event.id,
      event_slug: event.plan.slug,
      event_title: event.plan.title,
      event_image: image,
    },
  }
}

/** The parts of a combo, each under the name that the chain gives it and with the market that decides it. */
export const legsJson = (ledger: Ledger, { legs = [] }: Market) =>
  legs.map((leg, place) => {
    const { market, outcome } = leg
    const price = priceOf(ledger, tokenOf(ledger, leg))
    return {
      leg_index: place,
      leg_position_id: BigInt(`0x${legHex(leg)}`).toString(),
      leg_condition_id: market.conditionId,
      leg_outcome_index: outcome,
      leg_outcome_label: market.plan.outcomes[outcome],
      leg_status: isLegResolved(leg) ? resultOf(price) : "OPEN",
      leg_resolved_at: market.resolvedAt === undefined ? null : iso(market.resolvedAt),
      leg_current_price: price,
      market: marketJson(leg),
    }
  })
