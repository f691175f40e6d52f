import type { Millis } from "../../model.ts"
import { dayNumber, eastern, easternOn, monthDay } from "../eastern.ts"
import type { Context } from "./topic.ts"

/** The ends of the event's last months, the event's own end being the last of them. */
export const datesUntil = (
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
