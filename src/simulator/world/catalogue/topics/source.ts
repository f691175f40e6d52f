import { Dice, hash, seedOf } from "../../../random.ts"
import type { EventPlan, MarketPlan, Millis } from "../../model.ts"
import { popularity, roundedWeight, tickFor } from "../chance.ts"
import type { Draft, Source } from "../draft.ts"
import { civil, day, eastern, hour, monthDay } from "../eastern.ts"
import { tagged } from "../tags.ts"
import { kebab } from "../text.ts"
import { culture } from "./culture.ts"
import { economy } from "./economy.ts"
import { geopolitics } from "./geopolitics.ts"
import { mentions } from "./mentions.ts"
import { politics } from "./politics.ts"
import { tech } from "./tech.ts"
import type { Asked, Topic } from "./topic.ts"
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

/** No more than this many of one topic a day, so that each has a number of its own for all time. */
const slotsPerTopic = 4

interface Opening {
  readonly topic: Topic
  readonly date: number
  readonly number: number
  readonly endsAt: Millis
}

const marketOf = (asked: Asked, opening: Opening, slug: string, weight: number, dice: Dice): MarketPlan => {
  const endsAt = asked.endsAt ?? opening.endsAt
  return {
    slug,
    question: asked.question,
    outcomes: ["Yes", "No"],
    groupItemTitle: asked.group,
    rule: { kind: "fate", winner: asked.fate },
    endsAt,
    resolvesAt: endsAt + dice.between(2 * hour, 26 * hour),
    weight: roundedWeight(weight),
    startPrice: asked.price,
    fees: undefined,
    sportsMarketType: undefined,
    line: undefined,
    tickSize: tickFor(asked.price),
  }
}

const planOf = (seed: number, opening: Opening, createdAt: Millis): EventPlan => {
  const { topic, date, number, endsAt } = opening
  const dice = new Dice(seed, number)
  const end = eastern(endsAt)
  const { title, description, tags, negRisk, markets } = topic.about({
    dice,
    createdOn: civil(date * day),
    endsAt,
    end,
    endText: monthDay(end),
  })
  const slug = `${kebab(title)}-${number}`
  const weight = topic.weight * popularity(dice)
  const isOnly = markets.length === 1
  // One result decides all markets of a neg-risk event, so it is reported for all at once.
  const reporting = negRisk ? dice.between(2 * hour, 26 * hour) : undefined
  // Of an event that is older than history, only what was yet to be decided.
  const open = markets.filter((asked) => (asked.endsAt ?? endsAt) > createdAt)
  const planned = open.map((asked) => {
    const share = isOnly ? 1 : negRisk ? asked.price / 1000 + 0.02 : 1 / markets.length
    const market = marketOf(asked, opening, isOnly ? slug : `${kebab(asked.question)}-${number}`, weight * share, dice)
    return reporting === undefined ? market : { ...market, resolvesAt: market.endsAt + reporting }
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

export const topicEvents = (worldSeed: number, density: number): Source => {
  const opened = seedOf(worldSeed, "topics opened")
  const told = seedOf(worldSeed, "topics told")
  const kept = seedOf(worldSeed, "topics kept")
  const draftOf = (topic: Topic, date: number, number: number): Draft => {
    const dice = new Dice(opened, number)
    const opening: Opening = { topic, date, number, endsAt: topic.ends(date, dice) }
    return {
      createdAt: date * day + dice.below(day),
      worthUntil: opening.endsAt - day,
      make: (createdAt) => planOf(told, opening, createdAt),
    }
  }
  return {
    lookback: 190,
    draftsOf: (date) => {
      const dice = new Dice(opened, date)
      const today = civil(date * day)
      return topics.flatMap((topic, t) => {
        const count = Math.min(slotsPerTopic, topic.count(today, dice))
        return Array.from({ length: count }, (_, i) => ((date - 19_000) * topics.length + t) * slotsPerTopic + i)
          .filter((number) => hash(kept, number) / 0x100000000 < density)
          .map((number) => draftOf(topic, date, number))
      })
    },
  }
}
