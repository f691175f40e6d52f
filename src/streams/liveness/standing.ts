import type { SourceStatus } from "#src/status/model.ts"

/** How a source stands, as clients are told. Times are milliseconds. */
export interface Standing {
  readonly source: string
  /** Since the moment that its newest data are of; null when nobody knows. */
  readonly ageMillis: number | null
  /** Beyond this age it is stale. */
  readonly boundMillis: number
  readonly isStale: boolean
  /** Why it is stale, where that is more than its age. */
  readonly reason?: string
}

/** What is known about a source. */
export interface Known {
  readonly source: string
  readonly boundMillis: number
  /** When its status was last read, and what it was; undefined before that. */
  readonly status: SourceStatus | undefined
  readonly readMillisAgo: number
  /** Why its status cannot be read at the moment. */
  readonly failure: string | undefined
  /** The age of what this process itself has from it. */
  readonly ownAgeMillis: number | undefined
}

/** Nothing may come from these for hours, and that is right; or their age is how long ago everything was looked at. */
const withoutBound: ReadonlySet<string> = new Set(["sports", "catalogue"])

const whyStale = ({ source, state, lag }: SourceStatus): string | undefined => {
  if (state === "stopped") return "no process follows it at the moment"
  if (state === "unknown") return "nothing has ever come from it"
  if (state !== "late") return undefined
  if (source === "event_log") return `${lag ?? "many"} events are still on their way`
  return withoutBound.has(source) ? "it is older than usual" : undefined
}

export const standingOf = (known: Known): Standing => {
  const { source, boundMillis, status, readMillisAgo, failure, ownAgeMillis } = known
  const told = status?.age_seconds ?? null
  const statusAge = told === null ? null : told * 1000 + readMillisAgo
  const ageMillis = ownAgeMillis === undefined ? statusAge : Math.min(ownAgeMillis, statusAge ?? ownAgeMillis)
  const standing = { source, ageMillis: ageMillis === null ? null : Math.max(0, Math.round(ageMillis)), boundMillis }
  // What comes in here shows that the source lives, whatever is said about it.
  if (ownAgeMillis !== undefined && ownAgeMillis <= boundMillis) return { ...standing, isStale: false }
  const isUnread = status === undefined || readMillisAgo > boundMillis
  const isOld = ageMillis !== null && ageMillis > boundMillis && !withoutBound.has(source)
  const why = isUnread ? `its status cannot be read${failure === undefined ? "" : `: ${failure}`}` : whyStale(status)
  return { ...standing, isStale: isUnread || isOld || why !== undefined, ...(why === undefined ? {} : { reason: why }) }
}
