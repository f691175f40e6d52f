import type { SourceStatus } from "#src/status/model.ts"

/** Freshness of a source as clients see it. Times are milliseconds. */
export interface SourceLiveness {
  readonly source: string
  /** Age of its newest data; null when unknown. */
  readonly ageMillis: number | null
  /** Beyond this age the source is stale. */
  readonly boundMillis: number
  readonly isStale: boolean
  /** Why it is stale, unless the age says it all. */
  readonly reason?: string
}

export interface SourceObservation {
  readonly source: string
  readonly boundMillis: number
  /** The last status read; undefined before the first. */
  readonly status: SourceStatus | undefined
  readonly readMillisAgo: number
  /** Why the status cannot be read at the moment. */
  readonly failure: string | undefined
  /** Age of the newest data from this source in this process. */
  readonly ownAgeMillis: number | undefined
}

/** These may be silent for hours, or their age is that of the last full poll. */
const withoutBound: ReadonlySet<string> = new Set(["sports", "catalogue"])

const staleReason = ({ source, state, lag }: SourceStatus): string | undefined => {
  if (state === "stopped") return "no process follows it at the moment"
  if (state === "unknown") return "it has never delivered data"
  if (state !== "late") return undefined
  if (source === "event_log") return `${lag ?? "many"} events are not yet delivered`
  return withoutBound.has(source) ? "it is older than usual" : undefined
}

export const livenessOf = (observation: SourceObservation): SourceLiveness => {
  const { source, boundMillis, status, readMillisAgo, failure, ownAgeMillis } = observation
  const reportedAge = status?.age_seconds ?? null
  const statusAge = reportedAge === null ? null : reportedAge * 1000 + readMillisAgo
  const ageMillis = ownAgeMillis === undefined ? statusAge : Math.min(ownAgeMillis, statusAge ?? ownAgeMillis)
  const liveness = { source, ageMillis: ageMillis === null ? null : Math.max(0, Math.round(ageMillis)), boundMillis }
  // Fresh data in this process prove that the source is alive, whatever its status says.
  if (ownAgeMillis !== undefined && ownAgeMillis <= boundMillis) return { ...liveness, isStale: false }
  const isUnread = status === undefined || readMillisAgo > boundMillis
  const isOld = ageMillis !== null && ageMillis > boundMillis && !withoutBound.has(source)
  const reason = isUnread
    ? `its status cannot be read${failure === undefined ? "" : `: ${failure}`}`
    : staleReason(status)
  return {
    ...liveness,
    isStale: isUnread || isOld || reason !== undefined,
    ...(reason === undefined ? {} : { reason }),
  }
}
