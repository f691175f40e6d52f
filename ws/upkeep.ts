import { Duration, Effect, Schedule } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Liveness } from "#src/streams/Liveness.ts"
import { wsLagPatience } from "#src/streams/settings.ts"
import type { EventChannel } from "./events/EventChannel.ts"
import { livenessFrame, sourcesOf } from "./liveness.ts"
import type { GatewayMetrics } from "./metrics.ts"
import type { House, Visit } from "./Session.ts"

const lookEvery = "100 millis"
const chargeEvery = "5 seconds"
const heartbeatMillis = 30_000
/** The first comes soon, so that a newcomer sees how old everything is. */
export const firstHeartbeatMillis = 2_000
/** A gateway that has not read the log for so long says that it is behind. */
const staleMillis = 15_000
/** Who subscribes to nothing has no use for a socket. */
const idleMillis = 300_000

/** All who visit, in one place for everything that looks at them again and again. */
export interface Visits {
  readonly all: ReadonlySet<Visit>
  readonly house: House
  readonly metrics: GatewayMetrics
}

/** Passes by whoever reads too slowly, and cuts off who stays so. */
export const watchReaders = Effect.fnUntraced(function* ({ all, house, metrics }: Visits) {
  const config = yield* Configuration
  const once = Effect.sync(() => {
    const now = house.now()
    const patience = Duration.toMillis(config.get(wsLagPatience))
    for (const visit of all) {
      const { connection } = visit
      if (connection.hasRoom && !connection.isBehind) {
        connection.pressedSince = undefined
        continue
      }
      connection.pressedSince ??= now
      if (!connection.isBehind && connection.isOverfull) visit.fallBehind()
      if (now - connection.pressedSince > patience) {
        metrics.ended("slow")
        connection.isBehind = true
        connection.cut()
      }
    }
  })
  return yield* Effect.repeat(once, Schedule.spaced(lookEvery))
})

/** Says to everybody that the line is alive, how far they are, and how old what they depend on is. */
export const sendHeartbeats = Effect.fnUntraced(function* (
  { all, house }: Visits,
  liveness: Liveness["Service"],
  events: Pick<EventChannel, "position" | "silentMillis">,
) {
  /** As the others are told, for a gateway that has lost the log would otherwise look as fresh as the log. */
  const own = () => ({ age_ms: events.silentMillis(), stale: events.silentMillis() > staleMillis })

  const once = Effect.sync(() => {
    const now = house.now()
    for (const visit of all) {
      const { connection, conversation } = visit
      if (conversation.subscriptions === 0 && now - connection.heardAt > idleMillis) {
        connection.end("idle")
      } else if (now >= connection.heartbeatAt && !connection.isBehind) {
        connection.heartbeatAt = now + heartbeatMillis
        const names = sourcesOf(connection, house.channels)
        const sources = { ...liveness.ages(names), ...(names.includes("event_log") ? { gateway: own() } : {}) }
        connection.send({ type: "heartbeat", ts: now, seq: events.position(connection), sources })
      }
    }
  })
  return yield* Effect.repeat(once, Schedule.spaced("1 second"))
})

/** Says when a source that somebody depends on has gone stale, and when it is back. */
export const tellLiveness = ({ all, house }: Visits, liveness: Liveness["Service"]) =>
  liveness.listen((standing) => {
    for (const { connection } of all) {
      if (sourcesOf(connection, house.channels).includes(standing.source)) connection.send(livenessFrame(standing))
    }
  })

export const chargeAll = ({ all, house, metrics }: Visits) =>
  Effect.repeat(
    Effect.sync(() => {
      const standing = { connections: all.size, subscribers: 0, firehoses: 0, behind: 0, buffered: 0 }
      for (const { connection, conversation } of all) {
        house.charge(connection)
        if (conversation.subscriptions > 0) standing.subscribers++
        if (connection.isBehind) standing.behind++
        standing.firehoses += conversation.firehoses
        standing.buffered += connection.buffered
      }
      metrics.standing(standing)
    }),
    Schedule.spaced(chargeEvery),
  )
