import { Duration, Effect, Schedule } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Liveness } from "#src/streams/liveness/Liveness.ts"
import { wsLagPatience, wsMemory } from "#src/streams/settings.ts"
import type { Channel, Subscriber } from "../channel/Channel.ts"
import type { KeptBytes } from "../channel/KeptBytes.ts"
import type { EventChannel } from "../events/EventChannel.ts"
import type { GatewayMetrics } from "./metrics.ts"
import type { GatewayContext, Session } from "./Session.ts"
import { livenessFrame } from "./SessionProtocol.ts"

const checkReadersEvery = "100 millis"
const chargeEvery = "5 seconds"
const heartbeatMillis = 30_000
/** The first heartbeat comes early, so that a new client soon sees the ages of its sources. */
export const firstHeartbeatMillis = 2_000
/** A gateway that has not read the log for this long reports itself stale. */
const staleMillis = 15_000
/** Connections without a subscription are closed after this time. */
const idleMillis = 300_000

/** All open sessions, with what the recurring tasks need. */
interface OpenSessions {
  readonly sessions: ReadonlySet<Session>
  readonly context: GatewayContext
  readonly kept: KeptBytes
  readonly metrics: GatewayMetrics
}

const sourcesOf = (subscriber: Subscriber, channels: ReadonlyArray<Channel>): ReadonlyArray<string> => [
  ...new Set(channels.flatMap((channel) => channel.sourcesOf(subscriber))),
]

/** Disconnects the readers with the most unread bytes until this many are freed. */
const cutFullest = (sessions: ReadonlySet<Session>, bytes: number): void => {
  const fullest = [...sessions]
    .map(({ connection }) => ({ connection, buffered: connection.buffered }))
    .sort((a, b) => b.buffered - a.buffered)
  let freed = 0
  for (const { connection, buffered } of fullest) {
    if (freed >= bytes) return
    connection.isBehind = true
    connection.terminate("slow")
    freed += buffered
  }
}

/** Pauses slow readers and disconnects those that stay slow. */
export const limitSlowReaders = Effect.fnUntraced(function* ({ sessions, context }: OpenSessions) {
  const config = yield* Configuration
  const check = Effect.sync(() => {
    const now = context.now()
    const patience = Duration.toMillis(config.get(wsLagPatience))
    let buffered = 0
    for (const session of sessions) {
      const { connection } = session
      buffered += connection.buffered
      if (connection.hasRoom && !connection.isBehind) {
        connection.slowSince = undefined
        continue
      }
      connection.slowSince ??= now
      if (!connection.isBehind && connection.isOverfull) session.fallBehind()
      if (now - connection.slowSince > patience) {
        connection.isBehind = true
        connection.terminate("slow")
      }
    }
    const excess = buffered - config.get(wsMemory)
    if (excess > 0) cutFullest(sessions, excess)
  })
  return yield* Effect.repeat(check, Schedule.spaced(checkReadersEvery))
})

/** Sends each client its position and the ages of its sources, and closes idle connections. */
export const sendHeartbeats = Effect.fnUntraced(function* (
  { sessions, context }: OpenSessions,
  liveness: Liveness["Service"],
  events: Pick<EventChannel, "position" | "silentMillis">,
) {
  /** Reported separately: a gateway that lost the log would otherwise look as fresh as the log. */
  const ownAge = () => ({ age_ms: events.silentMillis(), stale: events.silentMillis() > staleMillis })

  const sendDue = Effect.sync(() => {
    const now = context.now()
    for (const { connection, protocol } of sessions) {
      if (protocol.subscriptions === 0 && now - connection.lastMessageAt > idleMillis) {
        connection.close("idle")
      } else if (now >= connection.heartbeatAt && !connection.isBehind) {
        connection.heartbeatAt = now + heartbeatMillis
        const names = sourcesOf(connection, context.channels)
        const sources = { ...liveness.ages(names), ...(names.includes("event_log") ? { gateway: ownAge() } : {}) }
        connection.send({ type: "heartbeat", ts: now, seq: events.position(connection), sources })
      }
    }
  })
  return yield* Effect.repeat(sendDue, Schedule.spaced("1 second"))
})

/** Notifies the clients of a source when it becomes stale or fresh. */
export const sendLiveness = ({ sessions, context }: OpenSessions, liveness: Liveness["Service"]) =>
  liveness.listen((change) => {
    for (const { connection } of sessions) {
      if (sourcesOf(connection, context.channels).includes(change.source)) connection.send(livenessFrame(change))
    }
  })

/** Charges accounts for traffic and updates the gauges. */
export const chargeTraffic = ({ sessions, context, kept, metrics }: OpenSessions) =>
  Effect.repeat(
    Effect.sync(() => {
      const counts = {
        connections: sessions.size,
        subscribers: 0,
        firehoses: 0,
        behind: 0,
        buffered: 0,
        kept: kept.total,
      }
      for (const { connection, protocol } of sessions) {
        context.charge(connection)
        if (protocol.subscriptions > 0) counts.subscribers++
        if (connection.isBehind) counts.behind++
        counts.firehoses += protocol.firehoses
        counts.buffered += connection.buffered
      }
      metrics.counts(counts)
    }),
    Schedule.spaced(chargeEvery),
  )
