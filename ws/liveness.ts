import type { Standing } from "#src/streams/liveness/standing.ts"
import type { Channel, Listener } from "./Listener.ts"

/** What somebody depends on, of all that it listens to. */
export const sourcesOf = (listener: Listener, channels: ReadonlyArray<Channel>): ReadonlyArray<string> => [
  ...new Set(channels.flatMap((channel) => channel.sourcesOf(listener))),
]

export const livenessFrame = ({ source, isStale, ageMillis, boundMillis, reason }: Standing) => ({
  type: isStale ? "stale" : "fresh",
  source,
  age_ms: ageMillis,
  ...(isStale ? { bound_ms: boundMillis, reason } : {}),
})
