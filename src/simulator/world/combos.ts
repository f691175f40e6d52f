import type { Dice } from "../random.ts"
import type { EventPlan, Millis } from "./model.ts"
import type { Leg, Market, Venue } from "./Venue.ts"

const hour = 3_600_000
const maxLegMillis = 72 * hour
const maxLegs = 5

/** A combo is listed every half hour. */
export const comboEvery = hour / 2

/** Outcomes of open markets that end soon, each of a different event. */
const pickLegs = (venue: Venue, dice: Dice, at: Millis, hasCombo: (market: Market) => boolean) => {
  const { open, markets } = venue
  const legs: Array<Leg> = []
  const legCount = dice.between(2, maxLegs)
  for (let tries = 0; tries < 40 && legs.length < legCount; tries++) {
    const market = markets[open.at(dice.unit() * open.total)]
    if (market === undefined || market.closed || market.legs !== undefined) continue
    const left = market.plan.endsAt - at
    if (left < hour || left > maxLegMillis) continue
    if (legs.some((leg) => leg.market.event === market.event)) continue
    legs.push({ market, outcome: dice.chance(0.7) ? 0 : 1, isFirstUse: !hasCombo(market) })
  }
  return legs
}

const legTitle = ({ market, outcome }: Leg): string => `${market.plan.question}: ${market.plan.outcomes[outcome]}`

/** A combo wins if all its legs win. */
const planOf = (
  venue: Venue,
  at: Millis,
  legs: ReadonlyArray<Leg>,
  endsAt: Millis,
  weight: number,
  kind: "combo" | "migrated" = "combo",
): EventPlan => {
  const title = legs.map(legTitle).join(" + ")
  const slug = `combo-${venue.markets.length}`
  return {
    slug,
    title,
    description: "Wins if every leg wins.",
    category: "combos",
    tags: [],
    series: undefined,
    game: undefined,
    createdAt: at,
    startsAt: at,
    endsAt,
    negRisk: false,
    recurrence: undefined,
    markets: [
      {
        slug,
        question: title,
        outcomes: ["Yes", "No"],
        groupItemTitle: "",
        rule: { kind },
        endsAt,
        resolvesAt: Math.max(...legs.map(({ market }) => market.plan.resolvesAt)),
        weight,
        startPrice: 250,
        fees: undefined,
        sportsMarketType: undefined,
        line: undefined,
        tickSize: "0.001",
      },
    ],
  }
}

/**
 * Lists a combo; undefined if too few markets are open. `hasCombo` tells whether a market is part of an earlier combo.
 */
export const listCombo = (
  venue: Venue,
  dice: Dice,
  at: Millis,
  hasCombo: (market: Market) => boolean,
): Market | undefined => {
  const legs = pickLegs(venue, dice, at, hasCombo)
  if (legs.length < 2) return undefined
  const endsAt = Math.min(...legs.map(({ market }) => market.plan.endsAt))
  return venue.listCombo(planOf(venue, at, legs, endsAt, 4), legs)
}

/** Lists a combo that wallets make of others; nobody trades it. */
export const derivedCombo = (venue: Venue, at: Millis, legs: ReadonlyArray<Leg>): Market => {
  const combo = venue.listCombo(planOf(venue, at, legs, at, 0), legs)
  combo.closed = true
  return combo
}

/** Lists a market of the older contracts under its name in the newer ones; nobody trades it there. */
export const migratedMarket = (venue: Venue, market: Market, at: Millis): Market => {
  const legs: ReadonlyArray<Leg> = [{ market, outcome: 0, isFirstUse: false }]
  const migrated = venue.listCombo(planOf(venue, at, legs, at, 0, "migrated"), legs)
  migrated.closed = true
  return migrated
}
