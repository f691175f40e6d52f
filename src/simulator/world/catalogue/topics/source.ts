import { Dice, hash, seedOf } from "../../../random.ts"
import type { DraftSource, EventDraft, EventPlan, MarketPlan, Millis } from "../../model.ts"
import { popularity, roundedWeight, tickFor } from "../chance.ts"
import { civil, day, eastern, hour, monthDay } from "../eastern.ts"
import { tagged } from "../tags.ts"
import { kebab } from "../text.ts"
import { culture } from "./culture.ts"
import { economy } from "./economy.ts"
import { geopolitics } from "./geopolitics.ts"
import { mentions } from "./mentions.ts"
import { politics } from "./politics.ts"
import { tech } from "./tech.ts"
import type { Topic, TopicMarket } from "./topic.ts"
import { weather } from "./weather.ts"

const topics: ReadonlyArray<Topic> = [
  ...politics,
  ...economy,
  ...culture,
  ...tech,
  ...weather,
  ...geopolitics,
  ...mentions,
]

/** Limits events per topic and day, so that each has a permanent unique number. */
const slotsPerTopic = 4

interface TopicInstance {
  readonly topic: Topic
  readonly date: number
  readonly number: number
  readonly endsAt: Millis
}

const marketOf = (
  market: TopicMarket,
  instance: TopicInstance,
  slug: string,
  weight: number,
  dice: Dice,
): MarketPlan => {
  const endsAt = market.endsAt ?? instance.endsAt
  return {
    slug,
    question: market.question,
    outcomes: ["Yes", "No"],
    groupItemTitle: market.group,
    rule: { kind: "fate", winner: market.fate },
    endsAt,
    resolvesAt: endsAt + dice.between(2 * hour, 26 * hour),
    weight: roundedWeight(weight),
    startPrice: market.price,
    fees: undefined,
    sportsMarketType: undefined,
    line: undefined,
    tickSize: tickFor(market.price),
  }
}

const planOf = (seed: number, instance: TopicInstance, createdAt: Millis): EventPlan => {
  const { topic, date, number, endsAt } = instance
  const dice = new Dice(seed, number)
  const end = eastern(endsAt)
  const { title, description, tags, negRisk, markets } = topic.describe({
    dice,
    createdOn: civil(date * day),
    endsAt,
    end,
    endText: monthDay(end),
  })
  const slug = `${kebab(title)}-${number}`
  const weight = topic.weight * popularity(dice)
  const isOnly = markets.length === 1
  // One result decides all markets of a neg-risk event, so they are reported at once.
  const reportDelay = negRisk ? dice.between(2 * hour, 26 * hour) : undefined
  // An event older than the history keeps only its undecided markets.
  const open = markets.filter((market) => (market.endsAt ?? endsAt) > createdAt)
  const planned = open.map((market) => {
    const share = isOnly ? 1 : negRisk ? market.price / 1000 + 0.02 : 1 / markets.length
    const marketSlug = isOnly ? slug : `${kebab(market.question)}-${number}`
    const plan = marketOf(market, instance, marketSlug, weight * share, dice)
    return reportDelay === undefined ? plan : { ...plan, resolvesAt: plan.endsAt + reportDelay }
  })
  return {
    slug,
    title,
    description,
    category: topic.category,
    tags: tagged(...tags),
    series: undefined,
    game: undefined,
    createdAt,
    startsAt: createdAt,
    endsAt,
    negRisk,
    recurrence: undefined,
    markets: planned,
  }
}

export const topicEvents = (worldSeed: number, density: number): DraftSource => {
  const openingSeed = seedOf(worldSeed, "topics opened")
  const contentSeed = seedOf(worldSeed, "topics told")
  const keepSeed = seedOf(worldSeed, "topics kept")
  const draftOf = (topic: Topic, date: number, number: number): EventDraft => {
    const dice = new Dice(openingSeed, number)
    const instance: TopicInstance = { topic, date, number, endsAt: topic.endOf(date, dice) }
    return {
      createdAt: date * day + dice.below(day),
      relevantUntil: instance.endsAt - day,
      make: (createdAt) => planOf(contentSeed, instance, createdAt),
    }
  }
  return {
    lookbackDays: 190,
    draftsOf: (date) => {
      const dice = new Dice(openingSeed, date)
      const today = civil(date * day)
      return topics.flatMap((topic, t) => {
        const count = Math.min(slotsPerTopic, topic.count(today, dice))
        return Array.from({ length: count }, (_, i) => ((date - 19_000) * topics.length + t) * slotsPerTopic + i)
          .filter((number) => hash(keepSeed, number) / 0x100000000 < density)
          .map((number) => draftOf(topic, date, number))
      })
    },
  }
}
