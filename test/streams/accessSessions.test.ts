import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { Sessions } from "#src/streams/access/Sessions.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { gateway, loseRedis, someAccount } from "./accessSupport.ts"

const second = 1000
const minute = 60_000
const hour = 3_600_000
const midnight = Date.UTC(2031, 4, 7)
const hourInSeconds = 3600

/** Two gateways that share the time of day, which passes as the test says. */
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

/** Opens a connection and keeps what it is told. */
const connect = Effect.fnUntraced(function* (sessions: Sessions["Service"], account: ReturnType<typeof someAccount>) {
  const told: Array<readonly [string, number]> = []
  const session = yield* sessions.begin(account, hourInSeconds, {
    onWarning: (left) => told.push(["warning", left]),
    onOver: (resetAt) => told.push(["over", resetAt]),
  })
  return { ...session, told }
})

const left = (sessions: Sessions["Service"], account: ReturnType<typeof someAccount>) =>
  sessions.left(account, hourInSeconds)

layer(testFoundation(), { excludeTestServices: true })("Time of the free plan", (it) => {
  it.effect("passes once for connections to two gateways, and not while there are none", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      const first = yield* connect(one.sessions, account)
      assert.strictEqual(first.leftMillis, hour)
      pass(4 * second)
      const second_ = yield* connect(two.sessions, account)
      assert.strictEqual(second_.leftMillis, hour - 4 * second)
      for (let i = 0; i < 4; i++) {
        pass(5 * second)
        yield* i % 2 === 0 ? two.sessions.tick : one.sessions.tick
      }
      assert.strictEqual(yield* left(one.sessions, account), hour - 24 * second)
      yield* first.end
      pass(3 * second)
      yield* second_.end
      yield* second_.end
      assert.strictEqual(yield* left(two.sessions, account), hour - 27 * second)
      pass(10 * second)
      assert.strictEqual(yield* left(one.sessions, account), hour - 27 * second)
      const third = yield* connect(one.sessions, account)
      pass(second)
      yield* third.end
      assert.strictEqual(yield* left(two.sessions, account), hour - 28 * second)
    }),
  )

  it.effect("coming and going at one gateway does not hide the time at another", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessions, account)
      for (let i = 0; i < 10; i++) {
        const brief = yield* connect(two.sessions, account)
        pass(100)
        yield* brief.end
        pass(900)
      }
      yield* one.sessions.tick
      assert.strictEqual(yield* left(two.sessions, account), hour - 10 * second)
    }),
  )

  it.effect("warns each connection once when five minutes are left, and ends all at the limit", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      const early = yield* connect(one.sessions, account)
      pass(54 * minute)
      yield* one.sessions.tick
      assert.deepStrictEqual(early.told, [])
      pass(minute)
      yield* one.sessions.tick
      pass(5 * second)
      yield* one.sessions.tick
      assert.deepStrictEqual(early.told, [["warning", 5 * minute]])
      const late = yield* connect(two.sessions, account)
      assert.deepStrictEqual(late.told, [["warning", 5 * minute - 5 * second]])
      pass(5 * minute - 5 * second)
      yield* one.sessions.tick
      yield* two.sessions.tick
      const over = ["over", midnight + 24 * hour] as const
      assert.deepStrictEqual(early.told.slice(1), [over])
      assert.deepStrictEqual(late.told.slice(1), [over])
      pass(5 * second)
      yield* one.sessions.tick
      yield* early.end
      yield* late.end
      assert.lengthOf(early.told, 2)
      for (const { sessions } of [one, two]) {
        assert.deepInclude(yield* Effect.flip(left(sessions, account)), { resetAtMillis: midnight + 24 * hour })
        assert.deepInclude(yield* Effect.flip(connect(sessions, account)), { _tag: "SessionOver" })
      }
    }),
  )

  it.effect("begins anew at midnight UTC, also for a connection that is open", () =>
    Effect.gen(function* () {
      const { one, two, set } = yield* twoGateways
      const account = someAccount()
      const end = midnight + 24 * hour
      set(end - 58 * minute)
      const open = yield* connect(one.sessions, account)
      set(end - 2 * minute)
      yield* one.sessions.tick
      assert.deepStrictEqual(open.told, [["warning", 4 * minute]])
      set(end + 3 * second)
      yield* one.sessions.tick
      assert.strictEqual(yield* left(two.sessions, account), hour - 3 * second)
      set(end + 56 * minute)
      yield* one.sessions.tick
      assert.deepStrictEqual(open.told.slice(1), [["warning", 4 * minute]])
      set(end + hour)
      yield* one.sessions.tick
      assert.deepStrictEqual(open.told.slice(2), [["over", end + 24 * hour]])
      const redis = yield* Redis
      const key = keys(redis.prefix).session(account, "2031-05-07")
      assert.strictEqual(yield* redis.run((client) => client.hget(key, "used")), String(58 * minute))
      assert.strictEqual(yield* redis.run((client) => client.pexpiretime(key)), end + 24 * hour)
    }),
  )

  it.effect("is counted without Redis and told to the others afterwards, over midnight as well", () =>
    Effect.gen(function* () {
      const { one, two, set, pass } = yield* twoGateways
      const account = someAccount()
      const end = midnight + 24 * hour
      set(end - 2 * minute)
      const open = yield* connect(one.sessions, account)
      one.proxy.become("refuse")
      pass(minute)
      yield* open.end
      pass(30 * second)
      const again = yield* connect(one.sessions, account)
      assert.strictEqual(again.leftMillis, hour - minute)
      set(end + 57 * minute)
      yield* one.sessions.tick
      assert.deepStrictEqual(again.told, [["warning", 3 * minute]])
      one.proxy.become("pass")
      yield* eventually(
        "it is back",
        Effect.sync(() => one.said.includes("the time of free connections is counted over all gateways again")),
      )
      yield* one.sessions.tick
      assert.strictEqual(yield* left(two.sessions, account), 3 * minute)
      const redis = yield* Redis
      const yesterday = keys(redis.prefix).session(account, "2031-05-07")
      assert.strictEqual(yield* redis.run((client) => client.hget(yesterday, "used")), String(90 * second))
      pass(3 * minute)
      yield* one.sessions.tick
      assert.strictEqual(again.told.at(-1)?.[0], "over")
    }),
  )

  it.effect("is not given back when Redis lost it", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessions, account)
      pass(20 * minute)
      yield* one.sessions.tick
      yield* loseRedis
      pass(5 * second)
      yield* one.sessions.tick
      assert.strictEqual(yield* left(two.sessions, account), hour - 20 * minute - 5 * second)
    }),
  )

  it.effect("a killed gateway's connections cost no more than the quarter of a minute for which it is believed", () =>
    Effect.gen(function* () {
      const { one, two, pass } = yield* twoGateways
      const account = someAccount()
      yield* connect(one.sessions, account)
      pass(minute)
      yield* one.sessions.tick
      one.proxy.become("refuse")
      pass(10 * minute)
      assert.strictEqual((yield* connect(two.sessions, account)).leftMillis, hour - minute)
    }),
  )
})
