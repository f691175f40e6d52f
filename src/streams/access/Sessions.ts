import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import { makeOutage } from "#src/platform/redis/Outage.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { loadScript, type ScriptCall } from "#src/platform/redis/RedisScript.ts"
import { dayOf, endOfDay, OpenTime, type Stretch, splitByDay, startOfDay } from "./OpenTime.ts"

const sessionScript = loadScript(new URL("./lua/session.lua", import.meta.url))

const tickEvery = "5 seconds"
/** A gateway that has said nothing for so long is gone, and its connections with it. */
const patienceMillis = 15_000
const warnAtMillis = 300_000
const keptMillis = 86_400_000

/** The day's time is used up. */
export class SessionOver extends Schema.TaggedError<SessionOver>()("SessionOver", { resetAtMillis: Schema.Number }) {}

/** What a connection is told of its time; each at most once a day. */
export interface SessionListener {
  readonly onWarning: (leftMillis: number) => void
  readonly onOver: (resetAtMillis: number) => void
}

export interface Session {
  readonly leftMillis: number
  readonly end: Effect.Effect<void>
}

interface Connected extends SessionListener {
  readonly limitMillis: number
  /** The day on which it was. */
  warnedOn: number | undefined
}

interface Counted {
  readonly time: OpenTime
  readonly connected: Set<Connected>
  /** Used on a day as Redis knows it. */
  known: { readonly day: number; readonly used: number }
}

/** The time that an account may be connected per UTC day; however many of its connections are open, it passes once. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** A connection opens. Where little is left, it is warned before this returns. */
    readonly begin: (
      account: AccountId,
      secondsPerDay: number,
      listener: SessionListener,
    ) => Effect.Effect<Session, SessionOver>
    /** What is left, for somebody who is not connected yet. */
    readonly left: (account: AccountId, secondsPerDay: number) => Effect.Effect<number, SessionOver>
    /** Counts up to now and tells whom it concerns; happens by itself every few seconds. */
    readonly tick: Effect.Effect<void>
  }
>()("presage/streams/access/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const redis = yield* Redis
  const clock = yield* Clock.Clock
  const { session, gatewayProbe } = keys(redis.prefix)
  const gateway = randomUUID()
  const accounts = new Map<AccountId, Counted>()

  const { tried } = yield* makeOutage({
    probe: Effect.asVoid(redis.run((client) => client.set(gatewayProbe, "1", "PX", 1000))),
    onChange: () => undefined,
    told: {
      away: "each gateway counts the time of free connections for itself",
      back: "the time of free connections is counted over all gateways again",
    },
  })

  const countedOf = (account: AccountId): Counted => {
    const counted = accounts.get(account) ?? {
      time: new OpenTime(),
      connected: new Set(),
      known: { day: 0, used: 0 },
    }
    accounts.set(account, counted)
    return counted
  }
  const dropIdle = (account: AccountId, counted: Counted) => {
    if (counted.time.isAllTold && accounts.get(account) === counted) accounts.delete(account)
  }

  const callOf = (
    account: AccountId,
    { known }: Counted,
    { from, to }: Stretch,
    state: "open" | "closed" | "ask",
  ): ScriptCall => ({
    keys: [session(account, dayOf(from))],
    args: [
      gateway,
      from,
      to,
      state,
      patienceMillis,
      endOfDay(from) + keptMillis,
      known.day === startOfDay(from) ? known.used : 0,
    ],
  })

  /** The last one is of today, so that its answer is what was used today. */
  const callsOf = (account: AccountId, counted: Counted, now: number): ReadonlyArray<ScriptCall> => {
    const { time } = counted
    const parts = time.untold(now).flatMap(splitByDay)
    const last = parts.at(-1)
    const told = parts.map((part) => callOf(account, counted, part, part === last && time.isOpen ? "open" : "closed"))
    const isToday = last !== undefined && startOfDay(last.from) === startOfDay(now)
    return isToday ? told : [...told, callOf(account, counted, { from: now, to: now }, "ask")]
  }

  /** Tells all gateways what they do not know, and hears from them how much was used; all of it in one piece. */
  const exchange = (concerned: ReadonlyArray<readonly [AccountId, Counted]>, now: number) => {
    const asked = concerned.map(([account, counted]) => ({ counted, calls: callsOf(account, counted, now) }))
    const sent = redis.run(async (client) => {
      const answers = await sessionScript(
        client,
        asked.flatMap(({ calls }) => calls),
      )
      const failed = answers.find((answer) => answer instanceof Error)
      if (failed !== undefined) throw failed
      return answers
    })
    return Effect.map(tried(sent), (answers) => {
      if (answers === undefined) return
      let end = 0
      for (const { counted, calls } of asked) {
        end += calls.length
        counted.time.told(now)
        counted.known = { day: startOfDay(now), used: Number(answers[end - 1]) }
      }
    })
  }

  const usedBy = ({ known, time }: Counted, now: number): number =>
    (known.day === startOfDay(now) ? known.used : 0) + time.untoldToday(now)

  const warn = (connected: Connected, leftMillis: number, now: number) => {
    const today = startOfDay(now)
    if (leftMillis > warnAtMillis || connected.warnedOn === today) return
    connected.warnedOn = today
    connected.onWarning(leftMillis)
  }

  const judge = (counted: Counted, now: number) => {
    const used = usedBy(counted, now)
    for (const connected of counted.connected) {
      const left = connected.limitMillis - used
      if (left > 0) warn(connected, left, now)
      else if (leave(counted, connected, now)) connected.onOver(endOfDay(now))
    }
  }

  const leave = ({ connected, time }: Counted, gone: Connected, now: number): boolean => {
    const wasThere = connected.delete(gone)
    if (wasThere) time.closed(now)
    return wasThere
  }

  const tick = Effect.gen(function* () {
    const now = clock.currentTimeMillisUnsafe()
    const concerned = [...accounts]
    yield* exchange(concerned, now)
    for (const [account, counted] of concerned) {
      judge(counted, now)
      dropIdle(account, counted)
    }
  })
  yield* Effect.forkScoped(Effect.repeat(tick, Schedule.spaced(tickEvery)))

  const begin = Effect.fnUntraced(function* (account: AccountId, secondsPerDay: number, listener: SessionListener) {
    const now = clock.currentTimeMillisUnsafe()
    const counted = countedOf(account)
    counted.time.opened(now)
    yield* exchange([[account, counted]], now)
    const limitMillis = secondsPerDay * 1000
    const leftMillis = limitMillis - usedBy(counted, now)
    const connected: Connected = { ...listener, limitMillis, warnedOn: undefined }
    counted.connected.add(connected)
    const end = Effect.gen(function* () {
      const at = clock.currentTimeMillisUnsafe()
      if (!leave(counted, connected, at)) return
      yield* exchange([[account, counted]], at)
      dropIdle(account, counted)
    })
    if (leftMillis <= 0) {
      yield* end
      return yield* new SessionOver({ resetAtMillis: endOfDay(now) })
    }
    warn(connected, leftMillis, now)
    return { leftMillis, end: Effect.uninterruptible(end) } satisfies Session
  }, Effect.uninterruptible)

  const left = Effect.fnUntraced(function* (account: AccountId, secondsPerDay: number) {
    const now = clock.currentTimeMillisUnsafe()
    const counted = countedOf(account)
    yield* exchange([[account, counted]], now)
    const leftMillis = secondsPerDay * 1000 - usedBy(counted, now)
    dropIdle(account, counted)
    if (leftMillis <= 0) return yield* new SessionOver({ resetAtMillis: endOfDay(now) })
    return leftMillis
  })

  return Sessions.of({ begin, left, tick })
})
