import { randomUUID } from "node:crypto"
import { Clock, Effect, FiberSet, Random, Schedule, Semaphore } from "effect"
import { allowances } from "#src/domain/Plan.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { type Client, StreamAdmission } from "#src/streams/access/Admission.ts"
import { ConnectionLeases } from "#src/streams/access/ConnectionLeases.ts"
import { firehosesOf } from "#src/streams/access/caps.ts"
import { KeyWatch } from "#src/streams/access/KeyWatch.ts"
import { MessageRate } from "#src/streams/access/MessageRate.ts"
import { RecentDisconnects } from "#src/streams/access/RecentDisconnects.ts"
import { SessionQuota } from "#src/streams/access/SessionQuota.ts"
import { Liveness } from "#src/streams/liveness/Liveness.ts"
import { closeCodes } from "#src/streams/protocol/closeCodes.ts"
import {
  wsBuffer,
  wsConnections,
  wsFirehoses,
  wsMemory,
  wsMemoryAccount,
  wsMemoryConnection,
  wsMessageBurst,
  wsMessageRate,
} from "#src/streams/settings.ts"
import { Meter } from "#src/usage/Meter.ts"
import { makeBookChannel } from "../books/BookChannel.ts"
import { KeptBytes } from "../channel/KeptBytes.ts"
import { makeEventChannels } from "../events/EventChannels.ts"
import { makeTickChannel } from "../ticks/TickChannel.ts"
import { Connection, type Socket } from "./Connection.ts"
import { chargeTraffic, firstHeartbeatMillis, limitSlowReaders, sendHeartbeats, sendLiveness } from "./maintenance.ts"
import { gatewayMetrics } from "./metrics.ts"
import { type GatewayContext, Session } from "./Session.ts"
import { type ProtocolContext, SessionProtocol } from "./SessionProtocol.ts"
import { socketsOf, Tally } from "./sockets.ts"
import { type Broadcast, Topics } from "./Topics.ts"

/** On shutdown, clients are told to reconnect at random times within this range. */
const reconnectWithinMillis = 5_000
const closeTimeout = "2 seconds"
const refusedMillis = 10_000
/** Large messages handled at the same time. A further one could only wait for the same processor and database. */
const largeAtOnce = 2

/** Connects sockets to channels: sessions, limits, heartbeats and metering. */
export const makeGateway = Effect.fnUntraced(function* (broadcast: Broadcast) {
  const config = yield* Configuration
  const log = yield* EventLog
  const admission = yield* StreamAdmission
  const leases = yield* ConnectionLeases
  const sessionQuota = yield* SessionQuota
  const keyWatch = yield* KeyWatch
  const disconnects = yield* RecentDisconnects
  const liveness = yield* Liveness
  const meter = yield* Meter
  const clock = yield* Clock.Clock
  const run = yield* FiberSet.makeRuntime<never>()
  const metrics = gatewayMetrics(yield* Effect.context<never>())

  const topics = new Topics(broadcast)
  const kept = new KeptBytes(() => ({
    connection: config.get(wsMemoryConnection),
    account: config.get(wsMemoryAccount),
    process: config.get(wsMemory),
  }))
  const events = yield* makeEventChannels(topics)
  const channels = { events, ticks: yield* makeTickChannel(topics), books: yield* makeBookChannel(topics) }
  const sessions = new Set<Session>()
  const accounts = new Tally()
  const now = () => clock.currentTimeMillisUnsafe()
  const pace = () => ({ perSecond: config.get(wsMessageRate), burst: config.get(wsMessageBurst) })

  const context: GatewayContext = {
    run: (effect) => void run(effect),
    now,
    channels: Object.values(channels),
    largeMessages: Semaphore.makeUnsafe(largeAtOnce),
    checkRate: (rate, length) => rate.decide(pace(), now(), length),
    charge: (connection) => {
      const { account, key } = connection.caller
      const bytes = connection.takeBytes()
      if (bytes === 0) return
      metrics.sent(bytes)
      meter.count({ account, key, family: "stream", requests: 0, bytes })
    },
    recordDisconnect: (connection, reason) => {
      const { code, meaning } = closeCodes[reason]
      const [from_seq, to_seq] = [events.position(connection), events.newest()]
      const disconnect = { subscriber_id: connection.id, code, reason: meaning, at: now(), from_seq, to_seq }
      return disconnects.record(connection.caller.lineage, disconnect)
    },
    ended: (session, reason) => {
      sessions.delete(session)
      accounts.remove(session.connection.client.caller.account)
      metrics.ended(reason)
    },
  }

  const protocolContext: ProtocolContext = {
    channels,
    leases,
    disconnects,
    liveness,
    firehoses: () => firehosesOf(config.get(wsFirehoses)),
    now,
  }

  const beginMetering = (session: Session) => {
    const { connection } = session
    const seconds = allowances[connection.caller.plan].sessionSecondsPerDay
    session.metered = undefined
    if (seconds === null) return Effect.void
    const onExhausted = (resetAtMillis: number) => connection.close("sessionOver", resetAtMillis - now())
    return sessionQuota
      .begin(connection.caller.account, seconds, {
        onWarning: (leftMillis) =>
          connection.send({
            type: "warning",
            code: "session_ending",
            message: `the daily time of the free plan ends in ${Math.ceil(leftMillis / 60_000)} minutes`,
            left_ms: leftMillis,
          }),
        onExhausted,
      })
      .pipe(
        Effect.flatMap((metered) => {
          session.metered = metered
          return connection.isClosed ? metered.end : Effect.void
        }),
        Effect.catch(({ resetAtMillis }) => Effect.sync(() => onExhausted(resetAtMillis))),
      )
  }

  const open = (socket: Socket, client: Client): Session => {
    const connection: Connection = new Connection({
      id: randomUUID(),
      socket,
      client,
      kept: kept.open(client.caller.account),
      topics,
      bufferLimit: () => config.get(wsBuffer),
      ackFields: () => ({ epoch: log.identity, seq: events.newest() }),
      now: now(),
      heartbeatAt: now() + firstHeartbeatMillis,
    })
    const protocol = new SessionProtocol(connection, protocolContext)
    const session = new Session(protocol, new MessageRate(pace(), now()), context)
    sessions.add(session)
    accounts.add(client.caller.account)
    session.unwatchKey = keyWatch.watch(client.key, client.caller, (change) => {
      if (change._tag === "Gone") connection.close("keyRevoked")
      else {
        const planBefore = connection.caller.plan
        connection.caller = change.caller
        if (change.caller.plan !== planBefore)
          run(Effect.andThen(session.metered?.end ?? Effect.void, beginMetering(session)))
      }
    })
    run(beginMetering(session))
    return session
  }

  /** Closes a connection that is one too many. The server must know its session, because the socket may end at once. */
  const limitOpened = ({ connection }: Session): void => {
    const { account, plan } = connection.caller
    if (sessions.size > config.get(wsConnections)) connection.close("overloaded", refusedMillis)
    else if (accounts.of(account) > socketsOf(plan)) connection.close("flood", refusedMillis)
  }

  /** Closes all connections with a random reconnect delay and waits until they are closed. */
  const closeAll = Effect.gen(function* () {
    for (const { connection } of sessions)
      connection.close("shutdown", yield* Random.nextIntBetween(0, reconnectWithinMillis))
    yield* Effect.repeat(
      Effect.sync(() => sessions.size === 0),
      { until: (none) => none, schedule: Schedule.spaced("20 millis") },
    ).pipe(Effect.timeoutOption(closeTimeout))
  })

  const openSessions = { sessions, context, kept, metrics }
  yield* Effect.forkScoped(limitSlowReaders(openSessions))
  yield* Effect.forkScoped(sendHeartbeats(openSessions, liveness, events))
  yield* sendLiveness(openSessions, liveness)
  yield* Effect.forkScoped(chargeTraffic(openSessions))

  /** Records a connection that ended before its session began. */
  const dropped = () => metrics.ended("dropped")

  return { admit: admission.admit, open, limitOpened, dropped, closeAll }
})
