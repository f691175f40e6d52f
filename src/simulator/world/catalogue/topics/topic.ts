import type { Dice } from "../../../random.ts"
import type { Millis } from "../../model.ts"
import { type Civil, civil, day, dayNumber, eastern, easternOn, monthDay } from "../eastern.ts"
import { firstNames, lastNames } from "../text.ts"

/** A Yes/No market of a topic. */
export interface TopicMarket {
  readonly question: string
  /** Empty if it is the event's only market. */
  readonly group: string
  /** Probability of Yes in 1/1000. */
  readonly price: number
  readonly fate: 0 | 1 | "half"
  /** Set if earlier than the event's end. */
  readonly endsAt?: Millis
}

/** The content of an event. */
export interface TopicEvent {
  readonly title: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly negRisk: boolean
  readonly markets: ReadonlyArray<TopicMarket>
}

export interface Context {
  readonly dice: Dice
  readonly createdOn: Civil
  readonly endsAt: Millis
  readonly end: Civil
  /** March 31 */
  readonly endText: string
}

/** A kind of long-lived event that recurs. */
export interface Topic {
  readonly category: string
  /** Number of events opened on a day. */
  readonly count: (date: Civil, dice: Dice) => number
  readonly endOf: (date: number, dice: Dice) => Millis
  readonly describe: (context: Context) => TopicEvent
  readonly weight: number
}

/** Events per day on average. */
export const perDay =
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

/** At the end of a New York day, `least` to `most` days later. */
export const afterDays =
  (least: number, most: number): Topic["endOf"] =>
  (date, dice) =>
    lastMinute(date + dice.between(least, most))

/** At the end of this month or a later one. */
export const monthEnd =
  (leastAhead: number, mostAhead: number): Topic["endOf"] =>
  (date, dice) => {
    const { year, month } = civil(date * day)
    return lastMinute(dayNumber(year, month + 1 + dice.between(leastAhead, mostAhead), 0))
  }

export const randomPerson = (dice: Dice): string => `${dice.pick(firstNames)} ${dice.pick(lastNames)}`

/** Distinct invented people. */
export const samplePeople = (dice: Dice, count: number): ReadonlyArray<string> => {
  const last = dice.sample(lastNames, count)
  return last.map((name) => `${dice.pick(firstNames)} ${name}`)
}

/** The ends of the event's last months; the last one is the event's own end. */
export const monthEndsUntil = (
  { endsAt, end, createdOn }: Context,
  count: number,
): ReadonlyArray<{ readonly text: string; readonly at: Millis }> => {
  const created = dayNumber(createdOn.year, createdOn.month, createdOn.day)
  return Array.from({ length: count }, (_, i) => dayNumber(end.year, end.month + 1 - (count - 1 - i), 0))
    .filter((date) => date > created + 3)
    .map((date) => {
      const at = Math.min(endsAt, easternOn(date, 23, 59))
      return { text: monthDay(eastern(at)), at }
    })
}
