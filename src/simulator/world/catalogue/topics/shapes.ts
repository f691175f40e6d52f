import type { Dice } from "../../../random.ts"
import type { Millis } from "../../model.ts"
import { drawOne, parts, shareOut } from "../chance.ts"
import type { Asked } from "./topic.ts"

const settled = (yes: boolean): 0 | 1 => (yes ? 0 : 1)

/** A single question; one in two hundred ends 50/50. */
export const single = (dice: Dice, question: string): ReadonlyArray<Asked> => {
  const price = parts(0.04 + dice.unit() * dice.unit() * 0.9)
  return [{ question, group: "", price, fate: dice.chance(0.005) ? "half" : settled(dice.below(1000) < price) }]
}

const exclusive = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  weights: ReadonlyArray<number>,
  question: (group: string) => string,
): ReadonlyArray<Asked> => {
  const prices = shareOut(weights)
  const winner = drawOne(dice, prices)
  return groups.map((group, i) => ({
    question: question(group),
    group,
    price: prices[i] as number,
    fate: settled(i === winner),
  }))
}

/** One of many, with a few favourites: for events of which exactly one market wins. */
export const oneOf = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<Asked> =>
  exclusive(
    dice,
    groups,
    groups.map((_, i) => (0.5 + dice.unit()) / (1 + i * i * 0.4)),
    question,
  )

/** Neighbouring ranges, those in the middle likeliest: for events of which exactly one market wins. */
export const ranges = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<Asked> => {
  const middle = (groups.length - 1) * (0.3 + 0.4 * dice.unit())
  return exclusive(
    dice,
    groups,
    groups.map((_, i) => 1 / (0.5 + (i - middle) * (i - middle))),
    question,
  )
}

/** Labels of ranges from below `first` to above the last: <5%, 5-6%, … 9%+ */
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

/** The same thing by several dates: whatever has come true by one has come true by the next. */
export const byDates = (
  dice: Dice,
  dates: ReadonlyArray<{ readonly text: string; readonly at: Millis }>,
  question: (date: string) => string,
): ReadonlyArray<Asked> => {
  const drawn = dice.below(1000)
  const last = 0.1 + dice.unit() * 0.75
  return dates.map(({ text, at }, i) => {
    const price = parts((last * (i + 1)) / dates.length)
    return { question: question(text), group: text, price, fate: settled(drawn < price), endsAt: at }
  })
}

/** The same figure against rising levels: whatever is above one is above all lower ones. */
export const aboveLevels = (
  dice: Dice,
  levels: ReadonlyArray<string>,
  question: (level: string) => string,
): ReadonlyArray<Asked> => {
  const drawn = dice.below(1000)
  return levels.map((level, i) => {
    const price = parts((levels.length - i - 0.5) / levels.length)
    return { question: question(level), group: level, price, fate: settled(drawn < price) }
  })
}

/** Questions that have nothing to do with each other. */
export const independent = (
  dice: Dice,
  groups: ReadonlyArray<string>,
  question: (group: string) => string,
): ReadonlyArray<Asked> =>
  groups.map((group) => {
    const price = parts(0.05 + 0.9 * dice.unit())
    return { question: question(group), group, price, fate: settled(dice.below(1000) < price) }
  })
