import type { Dice } from "../../../random.ts"
import type { Millis } from "../../model.ts"
import { drawIndex, perMille, perMilleShares } from "../chance.ts"
import type { TopicMarket } from "./topic.ts"

const outcomeIndex = (yes: boolean): 0 | 1 => (yes ? 0 : 1)

/** A single question; one in two hundred ends 50/50. */
export const single = (dice: Dice, question: string): ReadonlyArray<TopicMarket> => {
  const price = perMille(0.04 + dice.unit() * dice.unit() * 0.9)
  return [{ question, group: "", price, fate: dice.chance(0.005) ? "half" : outcomeIndex(dice.below(1000) < price) }]
}

const exclusive = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  weights: ReadonlyArray<number>,
  question: (group: string) => string,
): ReadonlyArray<TopicMarket> => {
  const prices = perMilleShares(weights)
  const winner = drawIndex(dice, prices)
  return groups.map((group, i) => ({
    question: question(group),
    group,
    price: prices[i] as number,
    fate: outcomeIndex(i === winner),
  }))
}

/** One of many with a few favourites, for events in which exactly one market wins. */
export const exactlyOne = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<TopicMarket> =>
  exclusive(
    dice,
    groups,
    groups.map((_, i) => (0.5 + dice.unit()) / (1 + i * i * 0.4)),
    question,
  )

/** Adjacent ranges with the middle ones likeliest, for events in which exactly one market wins. */
export const ranges = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<TopicMarket> => {
  const middle = (groups.length - 1) * (0.3 + 0.4 * dice.unit())
  return exclusive(
    dice,
    groups,
    groups.map((_, i) => 1 / (0.5 + (i - middle) * (i - middle))),
    question,
  )
}

/** Range labels from below `first` to above the last: <5%, 5-6%, … 9%+ */
export const rangeLabels = (
  first: number,
  step: number,
  count: number,
  unit: string,
  digits = 0,
): ReadonlyArray<string> => {
  const text = (i: number) => (first + i * step).toFixed(digits)
  const inner = Array.from({ length: count - 2 }, (_, i) => `${text(i)}-${text(i + 1)}${unit}`)
  return [`<${text(0)}${unit}`, ...inner, `${text(count - 2)}${unit}+`]
}

/** The same question for several dates: what is true by one date is true by all later ones. */
export const byDates = (
  dice: Dice,
  dates: ReadonlyArray<{ readonly text: string; readonly at: Millis }>,
  question: (date: string) => string,
): ReadonlyArray<TopicMarket> => {
  const drawn = dice.below(1000)
  const last = 0.1 + dice.unit() * 0.75
  return dates.map(({ text, at }, i) => {
    const price = perMille((last * (i + 1)) / dates.length)
    return { question: question(text), group: text, price, fate: outcomeIndex(drawn < price), endsAt: at }
  })
}

/** The same figure against rising levels: what is above one level is above all lower ones. */
export const aboveLevels = (
  dice: Dice,
  levels: ReadonlyArray<string>,
  question: (level: string) => string,
): ReadonlyArray<TopicMarket> => {
  const drawn = dice.below(1000)
  return levels.map((level, i) => {
    const price = perMille((levels.length - i - 0.5) / levels.length)
    return { question: question(level), group: level, price, fate: outcomeIndex(drawn < price) }
  })
}

/** Independent questions. */
export const independent = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<TopicMarket> =>
  groups.map((group) => {
    const price = perMille(0.05 + 0.9 * dice.unit())
    return { question: question(group), group, price, fate: outcomeIndex(dice.below(1000) < price) }
  })
