import { randomUUID } from "node:crypto"
import { Clock, Effect, FiberSet, Random, Schedule } from "effect"
import { allowances } from "#src/domain/Plan.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Doorkeeper, type Guest } from "#src/streams/access/Admission.ts"
import { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { firehosesOf } from "#src/streams/access/caps.ts"
import { Farewells } from "#src/streams/access/Farewells.ts"
import { KeyWatch } from "#src/streams/access/KeyWatch.ts"
import { MessageRate } from "#src/streams/access/MessageRate.ts"
import { Sessions } from "#src/streams/access/Sessions.ts"
import { Liveness } from "#src/streams/Liveness.ts"
import { closeCodes } from "#src/streams/protocol/closeCodes.ts"
import { wsBuffer, wsFirehoses, wsMessageBurst, wsMessageRate } from "#src/streams/settings.ts"
import { Meter } from "#src/usage/Meter.ts"
import { makeBookChannel } from "./books/BookChannel.ts"
import { Connection, type Socket } from "./Connection.ts"
import { type Circumstances, Conversation } from "./Conversation.ts"
import { makeEventChannel } from "./events/EventChannel.ts"
import { gatewayMetrics } from "./metrics.ts"
import { type House, Visit } from "./Session.ts"
import { type Broadcast, Topics } from "./Topics.ts"
import { makeTickChannel } from "./ticks/TickChannel.ts"
import { chargeAll, firstHeartbeatMillis, sendHeartbeats, tellLiveness, watchReaders } from "./upkeep.ts"

/** When the gateway stops, clients come back at different times. */
const returnWithin = 5_000
const lastWords = "2 seconds"

/** Everything between the sockets and what they listen to. */
export const makeGateway = Effect.fnUntraced(function* (broadcast: Broadcast) {
  const config = yield* Configuration
  const log = yield* EventLog
  const doorkeeper = yield* Doorkeeper
  const leases = yield* ConnectionLeases
  const sessions = yield* Sessions
  const keyWatch = yield* KeyWatch
  const farewells = yield* Farewells
  const liveness = yield* Liveness
  const meter = yield* Meter
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never>()
  const metrics = gatewayMetrics(yield* Effect.context<never>())

  const topics = new Topics(broadcast)
  const events = yield* makeEventChannel(topics)
  const channels = { events, ticks: yield* makeTickChannel(topics), books: yield* makeBookChannel(topics) }
  const visits = new Set<Visit>()
  const now = () => clock.currentTimeMillisUnsafe()
  const pace = () => ({ perSecond: config.get(wsMessageRate), burst: config.get(wsMessageBurst) })

  const house: House = {
    run: (effect) => void run(effect),
    now,
    channels: Object.values(channels),
    judge: (rate, length) => rate.judge(pace(), now(), length),
    charge: (connection) => {
      const { account, key } = connection.caller
      const bytes = connection.takeBytes()
      if (bytes === 0) return
      metrics.sent(bytes)
      meter.count({ account, key, family: "stream", requests: 0, bytes })
    },
    remember: (connection, reason) => {
      const { code, meaning } = closeCodes[reason]
      const [from_seq, to_seq] = [events.position(connection), events.newest()]
      const farewell = { subscriber_id: connection.id, code, reason: meaning, at: now(), from_seq, to_seq }
      return farewells.remember(connection.caller.lineage, farewell)
    },
    over: (visit) => void visits.delete(visit),
  }

  const circumstances: Circumstances = {
    channels,
    leases,
    farewells,
    liveness,
    firehoses: () => firehosesOf(config.get(wsFirehoses)),
    now,
  }

  const beginSession = (visit: Visit) => {
    const { connection } = visit
    const seconds = allowances[connection.caller.plan].sessionSecondsPerDay
    visit.session = undefined
    if (seconds === null) return Effect.void
    return sessions
      .begin(connection.caller.account, seconds, {
        onWarning: (leftMillis) =>
          connection.send({
            type: "warning",
            code: "session_ending",
            message: `the free plan's time of today ends in ${Math.ceil(leftMillis / 60_000)} minutes`,
            left_ms: leftMillis,
          }),
        onOver: (resetAtMillis) => connection.end("sessionOver", resetAtMillis - now()),
      })
      .pipe(
        Effect.flatMap((session) => {
          visit.session = session
          return connection.isGone ? session.end : Effect.void
        }),
        Effect.catch(({ resetAtMillis }) => Effect.sync(() => connection.end("sessionOver", resetAtMillis - now()))),
      )
  }

  const opened = (socket: Socket, guest: Guest): Visit => {
    const connection: Connection = new Connection({
      id: randomUUID(),
      socket,
      guest,
      topics,
      bufferLimit: () => config.get(wsBuffer),
      acknowledged: () => ({ epoch: log.identity, seq: events.newest() }),
      ended: metrics.ended,
      now: now(),
      heartbeatAt: now() + firstHeartbeatMillis,
    })
    const visit = new Visit(new Conversation(connection, circumstances), new MessageRate(pace(), now()), house)
    visits.add(visit)
    visit.unwatch = keyWatch.watch(guest.key, guest.caller, (change) => {
      if (change._tag === "Gone") connection.end("keyRevoked")
      else {
        const before = connection.caller.plan
        connection.caller = change.caller
        if (change.caller.plan !== before) run(Effect.andThen(visit.session?.end ?? Effect.void, beginSession(visit)))
      }
    })
    run(beginSession(visit))
    return visit
  }

  /** Tells everybody to come back a little later, and waits until they have heard it. */
  const dismissAll = Effect.gen(function* () {
    for (const { connection } of visits) connection.end("shutdown", yield* Random.nextIntBetween(0, returnWithin))
    yield* Effect.repeat(
      Effect.sync(() => visits.size === 0),
      { until: (none) => none, schedule: Schedule.spaced("20 millis") },
    ).pipe(Effect.timeoutOption(lastWords))
  })

  const kept = { all: visits, house, metrics }
  yield* Effect.forkScoped(watchReaders(kept))
  yield* Effect.forkScoped(sendHeartbeats(kept, liveness, events))
  yield* tellLiveness(kept, liveness)
  yield* Effect.forkScoped(chargeAll(kept))

  return { admit: doorkeeper.admit, opened, dismissAll }
})
