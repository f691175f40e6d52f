import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { dayMillis, dayText } from "#src/domain/time.ts"
import { keys } from "#src/mesh/Keys.ts"
import { makeCircuitBreaker } from "#src/platform/redis/CircuitBreaker.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { loadScript, type ScriptCall } from "#src/platform/redis/RedisScript.ts"
import { ConnectedTime, endOfDay, type Interval, splitByDay, startOfDay } from "./ConnectedTime.ts"

const sessionScript = loadScript(new URL("./lua/session.lua", import.meta.url))

const tickEvery = "5 seconds"
/** A gateway that reports nothing for this long counts as dead, and its connections as closed. */
const silenceMillis = 15_000
const warnAtMillis = 300_000
const retentionMillis = dayMillis

/** The account has used up its connected time of the day. */
export class SessionQuotaExhausted extends Schema.TaggedError<SessionQuotaExhausted>()("SessionQuotaExhausted", {
  resetAtMillis: Schema.Number,
}) {}

/** Notifications for one connection; each is called at most once a day. */
export interface SessionListener {
  readonly onWarning: (leftMillis: number) => void
  readonly onExhausted: (resetAtMillis: number) => void
}

/** A connection whose time counts against the quota. */
export interface MeteredSession {
  readonly leftMillis: number
  readonly end: Effect.Effect<void>
}

interface OpenConnection extends SessionListener {
  readonly limitMillis: number
  /** The day of the last warning. */
  warnedOn: number | undefined
}

interface AccountUsage {
  readonly time: ConnectedTime
  readonly connections: Set<OpenConnection>
  /** Usage of a day according to Redis. */
  known: { readonly day: number; readonly used: number }
}

/** Limits the connected time of an account per UTC day. Parallel connections count once, over all gateways. */
export class SessionQuota extends Context.Service<
  SessionQuota,
  {
    /** Opens a connection. If little time is left, the listener is warned before this returns. */
    readonly begin: (
      account: AccountId,
      secondsPerDay: number,
      listener: SessionListener,
    ) => Effect.Effect<MeteredSession, SessionQuotaExhausted>
    /** Milliseconds left for an account that is not connected yet. */
    readonly remaining: (account: AccountId, secondsPerDay: number) => Effect.Effect<number, SessionQuotaExhausted>
    /** Counts up to now and notifies listeners; runs every few seconds. */
    readonly tick: Effect.Effect<void>
  }
>()("presage/streams/access/SessionQuota") {
  static readonly layer = Layer.effect(
    SessionQuota,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const redis = yield* Redis
  const clock = yield* Clock.Clock
  const { session, gatewayProbe } = keys(redis.prefix)
  const gateway = randomUUID()
  const accounts = new Map<AccountId, AccountUsage>()

  const { attempt } = yield* makeCircuitBreaker({
    probe: Effect.asVoid(redis.run((client) => client.set(gatewayProbe, "1", "PX", 1000))),
    onChange: () => undefined,
    messages: {
      unavailable: "each gateway counts the time of free connections on its own",
      recovered: "the time of free connections is counted across all gateways again",
    },
  })

  const usageOf = (account: AccountId): AccountUsage => {
    const usage = accounts.get(account) ?? {
      time: new ConnectedTime(),
      connections: new Set(),
      known: { day: 0, used: 0 },
    }
    accounts.set(account, usage)
    return usage
  }
  const dropIdle = (account: AccountId, usage: AccountUsage) => {
    if (usage.time.isFullyReported && accounts.get(account) === usage) accounts.delete(account)
  }

  const callOf = (
    account: AccountId,
    { known }: AccountUsage,
    { from, to }: Interval,
    state: "open" | "closed" | "ask",
  ): ScriptCall => ({
    keys: [session(account, dayText(from))],
    args: [
      gateway,
      from,
      to,
      state,
      silenceMillis,
      endOfDay(from) + retentionMillis,
      known.day === startOfDay(from) ? known.used : 0,
    ],
  })

  /** The last call is always about today, so that its answer is today's usage. */
  const callsOf = (account: AccountId, usage: AccountUsage, now: number): ReadonlyArray<ScriptCall> => {
    const { time } = usage
    const parts = time.unreported(now).flatMap(splitByDay)
    const last = parts.at(-1)
    const reports = parts.map((part) => callOf(account, usage, part, part === last && time.isOpen ? "open" : "closed"))
    const isToday = last !== undefined && startOfDay(last.from) === startOfDay(now)
    return isToday ? reports : [...reports, callOf(account, usage, { from: now, to: now }, "ask")]
  }

  /** Reports this gateway's time and reads the usage across all gateways, in one script call. */
  const exchange = (entries: ReadonlyArray<readonly [AccountId, AccountUsage]>, now: number) => {
    const requests = entries.map(([account, usage]) => ({ usage, calls: callsOf(account, usage, now) }))
    const sent = redis.run(async (client) => {
      const answers = await sessionScript(
        client,
        requests.flatMap(({ calls }) => calls),
      )
      const failed = answers.find((answer) => answer instanceof Error)
      if (failed !== undefined) throw failed
      return answers
    })
    return Effect.map(attempt(sent), (answers) => {
      if (answers === undefined) return
      let end = 0
      for (const { usage, calls } of requests) {
        end += calls.length
        usage.time.reported(now)
        usage.known = { day: startOfDay(now), used: Number(answers[end - 1]) }
      }
    })
  }

  const usedToday = ({ known, time }: AccountUsage, now: number): number =>
    (known.day === startOfDay(now) ? known.used : 0) + time.unreportedToday(now)

  const warn = (connection: OpenConnection, leftMillis: number, now: number) => {
    const today = startOfDay(now)
    if (leftMillis > warnAtMillis || connection.warnedOn === today) return
    connection.warnedOn = today
    connection.onWarning(leftMillis)
  }

  const enforce = (usage: AccountUsage, now: number) => {
    const used = usedToday(usage, now)
    for (const connection of usage.connections) {
      const left = connection.limitMillis - used
      if (left > 0) warn(connection, left, now)
      else if (close(usage, connection, now)) connection.onExhausted(endOfDay(now))
    }
  }

  const close = ({ connections, time }: AccountUsage, connection: OpenConnection, now: number): boolean => {
    const wasOpen = connections.delete(connection)
    if (wasOpen) time.closed(now)
    return wasOpen
  }

  const tick = Effect.gen(function* () {
    const now = clock.currentTimeMillisUnsafe()
    const entries = [...accounts]
    yield* exchange(entries, now)
    for (const [account, usage] of entries) {
      enforce(usage, now)
      dropIdle(account, usage)
    }
  })
  yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced(tickEvery)))

  const begin = Effect.fn("SessionQuota.begin")(function* (
    account: AccountId,
    secondsPerDay: number,
    listener: SessionListener,
  ) {
    const now = clock.currentTimeMillisUnsafe()
    const usage = usageOf(account)
    usage.time.opened(now)
    yield* exchange([[account, usage]], now)
    const limitMillis = secondsPerDay * 1000
    const leftMillis = limitMillis - usedToday(usage, now)
    const connection: OpenConnection = { ...listener, limitMillis, warnedOn: undefined }
    usage.connections.add(connection)
    const end = Effect.gen(function* () {
      const at = clock.currentTimeMillisUnsafe()
      if (!close(usage, connection, at)) return
      yield* exchange([[account, usage]], at)
      dropIdle(account, usage)
    })
    if (leftMillis <= 0) {
      yield* end
      return yield* new SessionQuotaExhausted({ resetAtMillis: endOfDay(now) })
    }
    warn(connection, leftMillis, now)
    return { leftMillis, end: Effect.uninterruptible(end) } satisfies MeteredSession
  }, Effect.uninterruptible)

  const remaining = Effect.fn("SessionQuota.remaining")(function* (account: AccountId, secondsPerDay: number) {
    const now = clock.currentTimeMillisUnsafe()
    const usage = usageOf(account)
    yield* exchange([[account, usage]], now)
    const leftMillis = secondsPerDay * 1000 - usedToday(usage, now)
    dropIdle(account, usage)
    if (leftMillis <= 0) return yield* new SessionQuotaExhausted({ resetAtMillis: endOfDay(now) })
    return leftMillis
  })

  return SessionQuota.of({ begin, remaining, tick })
})
