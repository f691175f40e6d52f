import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { SessionQuota } from "#src/streams/access/SessionQuota.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { gateway, loseRedis, someAccount } from "./support/gateway.ts"

const second = 1000
const minute = 60_000
const hour = 3_600_000
const midnight = Date.UTC(2031, 4, 7)
const hourInSeconds = 3600

/** Two gateways with a shared clock that the test controls. */
const twoGateways = Effect.gen(function* () {
  let at = midnight + 9 * hour
  const options = { now: () => at }
  const [one, two] = [yield* gateway(options), yield* gateway(options)]
  return {
    one,
    two,
    set: (millis: number) => {
      at = millis
    },
    pass: (millis: number) => {
      at += millis
    },
  }
})

/** Opens a connection and records its notifications. */
const connect = Effect.fnUntraced(function* (
  sessionQuota: SessionQuota["Service"],
  account: ReturnType<typeof someAccount>,
) {
  const notified: Array<readonly [string, number]> = []
  const session = yield* sessionQuota.begin(account, hourInSeconds, {
    onWarning: (left) => notified.push(["warning", left]),
    onExhausted: (resetAt) => notified.push(["over", resetAt]),
  })
  return { ...session, notified }
})

const remaining = (sessionQuota: SessionQuota["Service"], account: ReturnType<typeof someAccount>) =>
  sessionQuota.remaining(account, hourInSeconds)

layer(testFoundation(), { excludeTestServices: true })("SessionQuota", (it) => {
  it.effect("time is counted once for connections to two gateways, and not without connections", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      const first = yield* connect(one.sessionQuota, account)
      assert.strictEqual(first.leftMillis, hour)
      pass(4 * second)
      const second_ = yield* connect(two.sessionQuota, account)
      assert.strictEqual(second_.leftMillis, hour - 4 * second)
      for (let i = 0; i < 4; i++) {
        pass(5 * second)
        yield* i % 2 === 0 ? two.sessionQuota.tick : one.sessionQuota.tick
      }
      assert.strictEqual(yield* remaining(one.sessionQuota, account), hour - 24 * second)
      yield* first.end
      pass(3 * second)
      yield* second_.end
      yield* second_.end
      assert.strictEqual(yield* remaining(two.sessionQuota, account), hour - 27 * second)
      pass(10 * second)
      assert.strictEqual(yield* remaining(one.sessionQuota, account), hour - 27 * second)
      const third = yield* connect(one.sessionQuota, account)
      pass(second)
      yield* third.end
      assert.strictEqual(yield* remaining(two.sessionQuota, account), hour - 28 * second)
    }),
  )

  it.effect("short connections to one gateway do not hide the time at another", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessionQuota, account)
      for (let i = 0; i < 10; i++) {
        const brief = yield* connect(two.sessionQuota, account)
        pass(100)
        yield* brief.end
        pass(900)
      }
      yield* one.sessionQuota.tick
      assert.strictEqual(yield* remaining(two.sessionQuota, account), hour - 10 * second)
    }),
  )

  it.effect("each connection is warned once at five minutes left, and all end at the limit", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      const early = yield* connect(one.sessionQuota, account)
      pass(54 * minute)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(early.notified, [])
      pass(minute)
      yield* one.sessionQuota.tick
      pass(5 * second)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(early.notified, [["warning", 5 * minute]])
      const late = yield* connect(two.sessionQuota, account)
      assert.deepStrictEqual(late.notified, [["warning", 5 * minute - 5 * second]])
      pass(5 * minute - 5 * second)
      yield* one.sessionQuota.tick
      yield* two.sessionQuota.tick
      const over = ["over", midnight + 24 * hour] as const
      assert.deepStrictEqual(early.notified.slice(1), [over])
      assert.deepStrictEqual(late.notified.slice(1), [over])
      pass(5 * second)
      yield* one.sessionQuota.tick
      yield* early.end
      yield* late.end
      assert.lengthOf(early.notified, 2)
      for (const { sessionQuota } of [one, two]) {
        assert.deepInclude(yield* Effect.flip(remaining(sessionQuota, account)), {
          resetAtMillis: midnight + 24 * hour,
        })
        assert.deepInclude(yield* Effect.flip(connect(sessionQuota, account)), { _tag: "SessionQuotaExhausted" })
      }
    }),
  )

  it.effect("the quota resets at midnight UTC, also for open connections", () =>
    Effect.gen(function* () {
      const { one, two, set } = yield* twoGateways
      const account = someAccount()
      const end = midnight + 24 * hour
      set(end - 58 * minute)
      const open = yield* connect(one.sessionQuota, account)
      set(end - 2 * minute)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(open.notified, [["warning", 4 * minute]])
      set(end + 3 * second)
      yield* one.sessionQuota.tick
      assert.strictEqual(yield* remaining(two.sessionQuota, account), hour - 3 * second)
      set(end + 56 * minute)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(open.notified.slice(1), [["warning", 4 * minute]])
      set(end + hour)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(open.notified.slice(2), [["over", end + 24 * hour]])
      const redis = yield* Redis
      const key = keys(redis.prefix).session(account, "2031-05-07")
      assert.strictEqual(yield* redis.run((client) => client.hget(key, "used")), String(58 * minute))
      assert.strictEqual(yield* redis.run((client) => client.pexpiretime(key)), end + 24 * hour)
    }),
  )

  it.effect("time is counted without Redis and reported afterwards, also across midnight", () =>
    Effect.gen(function* () {
      const { one, two, set, pass } = yield* twoGateways
      const account = someAccount()
      const end = midnight + 24 * hour
      set(end - 2 * minute)
      const open = yield* connect(one.sessionQuota, account)
      one.proxy.become("refuse")
      pass(minute)
      yield* open.end
      pass(30 * second)
      const again = yield* connect(one.sessionQuota, account)
      assert.strictEqual(again.leftMillis, hour - minute)
      set(end + 57 * minute)
      yield* one.sessionQuota.tick
      assert.deepStrictEqual(again.notified, [["warning", 3 * minute]])
      one.proxy.become("pass")
      yield* eventually(
        "Redis is back",
        Effect.sync(() => one.logged.includes("the time of free connections is counted across all gateways again")),
      )
      yield* one.sessionQuota.tick
      assert.strictEqual(yield* remaining(two.sessionQuota, account), 3 * minute)
      const redis = yield* Redis
      const yesterday = keys(redis.prefix).session(account, "2031-05-07")
      assert.strictEqual(yield* redis.run((client) => client.hget(yesterday, "used")), String(90 * second))
      pass(3 * minute)
      yield* one.sessionQuota.tick
      assert.strictEqual(again.notified.at(-1)?.[0], "over")
    }),
  )

  it.effect("used time survives a loss of Redis", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessionQuota, account)
      pass(20 * minute)
      yield* one.sessionQuota.tick
      yield* loseRedis
      pass(5 * second)
      yield* one.sessionQuota.tick
      assert.strictEqual(yield* remaining(two.sessionQuota, account), hour - 20 * minute - 5 * second)
    }),
  )

  it.effect("a killed gateway's connections count for at most 15 more seconds", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessionQuota, account)
      pass(minute)
      yield* one.sessionQuota.tick
      one.proxy.become("refuse")
      pass(10 * minute)
      assert.strictEqual((yield* connect(two.sessionQuota, account)).leftMillis, hour - minute)
    }),
  )
})
