import type { Dice } from "../random.ts"
import type { EventPlan, Millis } from "./model.ts"
import type { Leg, Market, Venue } from "./Venue.ts"

const hour = 3_600_000
const longest = 72 * hour
const mostLegs = 5

/** One is put together every half an hour. */
export const comboEvery = hour / 2

/** Outcomes of open markets that end soon, each of another event. */
const someLegs = (venue: Venue, dice: Dice, at: Millis, isKnown: (market: Market) => boolean) => {
  const { open, markets } = venue
  const legs: Array<Leg> = []
  const wanted = dice.between(2, mostLegs)
  for (let tries = 0; tries < 40 && legs.length < wanted; tries++) {
    const market = markets[open.at(dice.unit() * open.total)]
    if (market === undefined || market.closed || market.legs !== undefined) continue
    const left = market.plan.endsAt - at
    if (left < hour || left > longest) continue
    if (legs.some((leg) => leg.market.event === market.event)) continue
    legs.push({ market, outcome: dice.chance(0.7) ? 0 : 1, isFirstUse: !isKnown(market) })
  }
  return legs
}

const nameOf = ({ market, outcome }: Leg): string => `${market.plan.question}: ${market.plan.outcomes[outcome]}`

/**
 * Puts several outcomes together into one that wins if all of them do; nothing when too little is open. `isKnown` tells
 * which markets are in a combo already.
 */
export const listCombo = (
  venue: Venue,
  dice: Dice,
  at: Millis,
  isKnown: (market: Market) => boolean,
): Market | undefined => {
  const legs = someLegs(venue, dice, at, isKnown)
  if (legs.length < 2) return undefined
  const title = legs.map(nameOf).join(" + ")
  const slug = `combo-${venue.markets.length}`
  const endsAt = Math.min(...legs.map(({ market }) => market.plan.endsAt))
  const plan: EventPlan = {
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
        rule: { kind: "combo" },
        endsAt,
        resolvesAt: Math.max(...legs.map(({ market }) => market.plan.resolvesAt)),
        weight: 4,
        startPrice: 250,
        fees: undefined,
        sportsMarketType: undefined,
        line: undefined,
        tickSize: "0.001",
      },
    ],
  }
  return venue.listCombo(plan, legs)
}
