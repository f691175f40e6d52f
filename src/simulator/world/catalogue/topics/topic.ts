import type { Dice } from "../../../random.ts"
import type { Millis } from "../../model.ts"
import { type Civil, civil, day, dayNumber, easternOn } from "../eastern.ts"
import { firstNames, lastNames } from "../words.ts"

/** A Yes/No market of a topic. */
export interface Asked {
  readonly question: string
  /** Empty when it is the event's only one. */
  readonly group: string
  /** Chance of Yes in parts of 1,000. */
  readonly price: number
  readonly fate: 0 | 1 | "half"
  /** When earlier than the event's end. */
  readonly endsAt?: Millis
}

/** What an event is about. */
export interface Subject {
  readonly title: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly negRisk: boolean
  readonly markets: ReadonlyArray<Asked>
}

export interface Context {
  readonly dice: Dice
  readonly createdOn: Civil
  readonly endsAt: Millis
  readonly end: Civil
  /** March 31 */
  readonly endText: string
}

/** A kind of long-lived event that comes up again and again. */
export interface Topic {
  readonly category: string
  /** How many are opened on a day. */
  readonly count: (date: Civil, dice: Dice) => number
  readonly ends: (date: number, dice: Dice) => Millis
  readonly about: (context: Context) => Subject
  readonly weight: number
}

/** So many a day on average. */
export const often =
  (rate: number): Topic["count"] =>
  (_, dice) =>
    Math.floor(rate) + (dice.chance(rate - Math.floor(rate)) ? 1 : 0)

export const onWeekday =
  (weekday: number, count = 1): Topic["count"] =>
  (date) =>
    date.weekday === weekday ? count : 0

export const onDayOfMonth =
  (dayOfMonth: number): Topic["count"] =>
  (date) =>
    date.day === dayOfMonth ? 1 : 0

const lastMinute = (date: number): Millis => easternOn(date, 23, 59)

/** At the end of a day in New York, so many days later. */
export const afterDays =
  (least: number, most: number): Topic["ends"] =>
  (date, dice) =>
    lastMinute(date + dice.between(least, most))

/** At the end of this month or of one of the next. */
export const monthEnd =
  (leastAhead: number, mostAhead: number): Topic["ends"] =>
  (date, dice) => {
    const { year, month } = civil(date * day)
    return lastMinute(dayNumber(year, month + 1 + dice.between(leastAhead, mostAhead), 0))
  }

export const person = (dice: Dice): string => `${dice.pick(firstNames)} ${dice.pick(lastNames)}`

/** Different entries of a list, in the order drawn. */
export const some = <A>(dice: Dice, list: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const left = [...list]
  return Array.from({ length: Math.min(count, list.length) }, () => left.splice(dice.below(left.length), 1)[0] as A)
}

/** Different invented people. */
export const people = (dice: Dice, count: number): ReadonlyArray<string> => {
  const last = some(dice, lastNames, count)
  return last.map((name) => `${dice.pick(firstNames)} ${name}`)
}
