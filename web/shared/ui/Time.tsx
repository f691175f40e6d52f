import { unknown } from "../format.ts"

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const earlier = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
})
/** The time of today, otherwise the day as well. */
const short = {
  format: (date: Date) => (date.toDateString() === new Date().toDateString() ? clock : earlier).format(date),
}
const formats = { full, clock, day, minute: earlier, short }

/** Seconds, milliseconds or ISO text; undefined if it is no time. */
const asDate = (at: number | string | null | undefined): Date | undefined => {
  if (at === null || at === undefined || at === "") return undefined
  const millis = typeof at === "number" ? (at < 1e11 ? at * 1000 : at) : Date.parse(at)
  return Number.isFinite(millis) ? new Date(millis) : undefined
}

/** A time in the viewer's zone, with UTC on hover. */
export const Time = ({
  at,
  style = "full",
}: {
  readonly at: number | string | null | undefined
  readonly style?: keyof typeof formats
}) => {
  const date = asDate(at)
  if (date === undefined) return <span>{unknown}</span>
  const iso = date.toISOString()
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {formats[style].format(date)}
    </time>
  )
}
