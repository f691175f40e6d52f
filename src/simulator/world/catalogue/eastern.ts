import type { Millis } from "../model.ts"

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** A moment as calendar date and clock time. */
export interface Civil {
  readonly year: number
  /** 1 is January. */
  readonly month: number
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  readonly hour: number
  readonly minute: number
}

const monthNames = "January February March April May June July August September October November December".split(" ")

export const monthName = (month: number): string => monthNames[month - 1] as string

export const civil = (at: Millis): Civil => {
  const date = new Date(at)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  }
}

/** Days since 1970 of a calendar date; out-of-range days and months carry over. */
export const dayNumber = (year: number, month: number, dayOfMonth: number): number =>
  Date.UTC(year, month - 1, dayOfMonth) / day

const sundayOnOrAfter = (year: number, month: number, dayOfMonth: number): Millis => {
  const at = Date.UTC(year, month - 1, dayOfMonth)
  return at + ((7 - new Date(at).getUTCDay()) % 7) * day
}

const summers = new Map<number, readonly [Millis, Millis]>()

/** US daylight saving time since 2007: second Sunday of March to first Sunday of November, at 2 AM. */
const summerOf = (year: number): readonly [Millis, Millis] => {
  const cached = summers.get(year)
  if (cached !== undefined) return cached
  const summer = [sundayOnOrAfter(year, 3, 8) + 7 * hour, sundayOnOrAfter(year, 11, 1) + 6 * hour] as const
  summers.set(year, summer)
  return summer
}

/** Offset of New York from UTC: -4 or -5 hours. */
export const easternOffset = (at: Millis): Millis => {
  const [from, to] = summerOf(new Date(at).getUTCFullYear())
  return at >= from && at < to ? -4 * hour : -5 * hour
}

export const eastern = (at: Millis): Civil => civil(at + easternOffset(at))

/** The moment of a New York date and time; the earlier one of a repeated hour. */
export const easternOn = (date: number, hours: number, minutes = 0): Millis => {
  const shown = date * day + hours * hour + minutes * minute
  const inSummer = shown + 4 * hour
  return easternOffset(inSummer) === -4 * hour ? inSummer : shown + 5 * hour
}

/** May 12 */
export const monthDay = ({ month, day: d }: Civil): string => `${monthName(month)} ${d}`

/** may-12-2026 */
export const dateSlug = ({ year, month, day: d }: Civil): string => `${monthName(month).toLowerCase()}-${d}-${year}`

const twoDigits = (n: number): string => String(n).padStart(2, "0")

/** 2026-05-12 */
export const isoDate = ({ year, month, day: d }: Civil): string => `${year}-${twoDigits(month)}-${twoDigits(d)}`

/** 7:10AM */
export const clockTime = (at: Civil): string => `${at.hour % 12 || 12}:${twoDigits(at.minute)}${half(at)}`

/** 7AM */
export const clockHour = (at: Civil): string => `${at.hour % 12 || 12}${half(at)}`

const half = (at: Civil): string => (at.hour < 12 ? "AM" : "PM")
