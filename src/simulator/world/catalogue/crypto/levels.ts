import { Dice, seedOf } from "../../../random.ts"
import type { DraftSource, EventDraft, EventPlan, MarketPlan, Millis } from "../../model.ts"
import { coins, type Oracle } from "../../oracle.ts"
import { cryptoFees, perMille, perMilleShares, roundedWeight, tickFor } from "../chance.ts"
import { civil, dateSlug, day, dayNumber, eastern, easternOn, hour, minute, monthDay } from "../eastern.ts"
import { cryptoSeriesFor } from "../series.ts"
import { tagged } from "../tags.ts"
import { kebab, usdText } from "../text.ts"
import { chanceInRange } from "./chanceInRange.ts"
import { type CoinNames, coinNames, coinShare } from "./names.ts"

/** The largest of 1, 2, 5, 10, 20, 50 … that is not above `size`. */
const roundStep = (size: number): number => {
  let power = 1
  while (power * 10 <= size) power *= 10
  if (power * 5 <= size) return power * 5
  return power * 2 <= size ? power * 2 : power
}

interface LevelContext {
  readonly coin: number
  readonly createdAt: Millis
  readonly endsAt: Millis
  /** Prices at creation and at the end; the final price only decides the result. */
  readonly spot: number
  readonly final: number
  readonly dice: Dice
}

const secondsLeft = ({ createdAt, endsAt }: LevelContext) => (endsAt - createdAt) / 1000

interface Level {
  readonly slug: string
  readonly question: string
  readonly label: string
  readonly chance: number
  readonly from: number | undefined
  readonly to: number | undefined
  readonly won: boolean
}

const market = (context: LevelContext, level: Level, weight: number): MarketPlan => ({
  slug: level.slug,
  question: level.question,
  outcomes: ["Yes", "No"],
  groupItemTitle: level.label,
  rule: {
    kind: "fate",
    winner: level.won ? 0 : 1,
    range: { coin: context.coin, from: level.from, to: level.to },
  },
  endsAt: context.endsAt,
  resolvesAt: context.endsAt + context.dice.between(5 * minute, 30 * minute),
  weight: roundedWeight(weight * (coinShare[context.coin] as number)),
  startPrice: level.chance,
  fees: cryptoFees,
  sportsMarketType: undefined,
  line: undefined,
  tickSize: tickFor(level.chance),
})

const weekly = (context: LevelContext): EventPlan => {
  const { coin, spot, final, endsAt } = context
  const names = coinNames[coin] as CoinNames
  const end = eastern(endsAt)
  const step = roundStep(spot * 0.02)
  const middle = Math.round(spot / step)
  const markets = Array.from({ length: 11 }, (_, i) => {
    const strike = (middle - 5 + i) * step
    const text = usdText(strike)
    const level: Level = {
      slug: `${names.long}-above-${kebab(text)}-on-${dateSlug(end)}`,
      question: `Will the price of ${names.title} be above $${text} on ${monthDay(end)}?`,
      label: text,
      chance: perMille(chanceInRange({ coin, from: strike, to: undefined }, spot, secondsLeft(context))),
      from: strike,
      to: undefined,
      won: final > strike,
    }
    return market(context, level, 12 / (1 + Math.abs(i - 5)))
  })
  return {
    ...common(context, "weekly"),
    slug: `${names.long}-above-on-${dateSlug(end)}`,
    title: `${names.title} above ___ on ${monthDay(end)}?`,
    description: `Each market resolves to "Yes" if the price of ${names.title} at noon ET on ${monthDay(end)} is above its strike. The resolution source is the Chainlink data stream ${names.short.toUpperCase()}/USD.`,
    negRisk: false,
    markets,
  }
}

const monthly = (context: LevelContext): EventPlan => {
  const { coin, spot, final, endsAt } = context
  const names = coinNames[coin] as CoinNames
  const end = eastern(endsAt)
  const step = roundStep(spot * 0.04)
  const middle = Math.round(spot / step)
  const edges = Array.from({ length: 8 }, (_, i) => (middle - 4 + i) * step)
  const ranges = Array.from({ length: edges.length + 1 }, (_, i) => {
    const from = edges[i - 1]
    const to = edges[i]
    const label =
      from === undefined
        ? `below $${usdText(to as number)}`
        : to === undefined
          ? `$${usdText(from)} or more`
          : `between $${usdText(from)} and $${usdText(to)}`
    const chance = chanceInRange({ coin, from, to }, spot, secondsLeft(context))
    const won = (from === undefined || final >= from) && (to === undefined || final < to)
    return { label, chance, from, to, won }
  })
  const shares = perMilleShares(ranges.map(({ chance }) => chance))
  const markets = ranges.map(({ label, from, to, won }, i) => {
    const chance = shares[i] as number
    const level: Level = {
      slug: `will-${names.long}-be-${kebab(label)}-on-${dateSlug(end)}`,
      question: `Will the price of ${names.title} be ${label} on ${monthDay(end)}?`,
      label,
      chance,
      from,
      to,
      won,
    }
    return market(context, level, 0.5 + chance / 50)
  })
  return {
    ...common(context, "monthly"),
    slug: `${names.long}-price-on-${dateSlug(end)}`,
    title: `What will the price of ${names.title} be on ${monthDay(end)}?`,
    description: `The market whose range holds the price of ${names.title} at noon ET on ${monthDay(end)} resolves to "Yes", all others to "No". The resolution source is the Chainlink data stream ${names.short.toUpperCase()}/USD.`,
    negRisk: true,
    markets,
  }
}

const common = ({ coin, createdAt, endsAt }: LevelContext, recurrence: "weekly" | "monthly") => ({
  category: "crypto",
  tags: tagged("crypto", (coinNames[coin] as CoinNames).tag, "crypto-prices", "multi-strikes", recurrence),
  series: cryptoSeriesFor(coin, recurrence),
  game: undefined,
  createdAt,
  startsAt: createdAt,
  endsAt,
  recurrence,
})

/**
 * Weekly strikes for every Friday and price ranges for the end of every month. Results are known in advance because the
 * oracle has all future prices.
 */
export const levelEvents = (worldSeed: number, oracle: Oracle): DraftSource => {
  const seed = seedOf(worldSeed, "price levels")
  const draftOf = (
    date: number,
    coin: number,
    ends: number,
    make: (context: LevelContext) => EventPlan,
  ): EventDraft => {
    const createdAt = date * day + 14 * hour + coin * minute
    const endsAt = easternOn(ends, 12)
    const priceAt = (at: Millis) => oracle.priceAt(coin, Math.floor(at / 1000))
    return {
      createdAt,
      relevantUntil: endsAt - day,
      make: (at) =>
        make({
          coin,
          createdAt: at,
          endsAt,
          spot: priceAt(createdAt),
          final: priceAt(endsAt),
          dice: new Dice(seed, date * 16 + coin),
        }),
    }
  }
  return {
    lookbackDays: 31,
    draftsOf: (date) => {
      const { year, month, day: dayOfMonth, weekday } = civil(date * day)
      const strikes = weekday === 5 ? coins.map((_, coin) => draftOf(date, coin, date + 7, weekly)) : []
      const lastOfMonth = dayNumber(year, month + 1, 0)
      const ranges = dayOfMonth === 1 ? coins.map((_, coin) => draftOf(date, coin, lastOfMonth, monthly)) : []
      return [...strikes, ...ranges]
    },
  }
}
