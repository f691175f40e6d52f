import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Limiter } from "#src/limits/Limiter.ts"
import type { Buckets } from "#src/limits/model.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"
import { fickleRedis } from "./fickleRedis.ts"

const standard = (limit: number, windowMillis = 60_000): Buckets => [{ name: "standard", limit, windowMillis }]
const both = (limit: number, heavy: number): Buckets => [
  ...standard(limit),
  { name: "heavy", limit: heavy, windowMillis: 60_000 },
]

/** A limiter of another process on the same windows, with its own connection to Redis. */
const distant = Effect.fnUntraced(function* (flags: Record<string, string> = {}) {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const said: Array<string> = []
  const context = yield* Layer.build(
    Layer.fresh(Limiter.layer).pipe(
      Layer.provide(redis),
      Layer.provide(testConfiguration({ "redis.prefix": prefix, "redis.command-timeout": "1s", ...flags })),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])),
    ),
  )
  const limiter = yield* Effect.provide(Limiter, context)
  const saidOfLimits = () => said.filter((line) => /limits/.test(line))
  return { proxy, limiter, saidOfLimits }
})

layer(Limiter.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Limiter", (it) => {
  const many = (limiter: Limiter["Service"], owner: string, buckets: Buckets, count: number) =>
    Effect.all(
      Array.from({ length: count }, () => limiter.take(owner, buckets)),
      { concurrency: "unbounded" },
    )

  it.effect("two processes with concurrent requests together admit exactly the limit", () =>
    Effect.gen(function* () {
      const near = yield* Limiter
      const { limiter: far } = yield* distant()
      const waves = Array.from({ length: 12 }, (_, i) => many(i % 2 === 0 ? near : far, "shared", standard(1000), 137))
      const answers = (yield* Effect.all(waves, { concurrency: 4 })).flat()
      const remaining = answers.filter(({ admitted }) => admitted).map(({ status }) => status.remaining)
      assert.deepStrictEqual(
        remaining.sort((a, b) => b - a),
        Array.from({ length: 1000 }, (_, i) => 999 - i),
      )
      for (const { admitted, status } of answers) if (!admitted) assert.strictEqual(status.remaining, 0)
    }),
  )

  it.effect("no sliding window ever admits more than the limit", () =>
    Effect.gen(function* () {
      const near = yield* Limiter
      const { limiter: far } = yield* distant()
      const [limit, millis] = [50, 250]
      const admitted: Array<{ readonly sent: number; readonly heard: number }> = []
      const client = (limiter: Limiter["Service"]) =>
        Effect.gen(function* () {
          const sent = performance.now()
          const answer = yield* limiter.take("sliding", standard(limit, millis))
          if (answer.admitted) admitted.push({ sent, heard: performance.now() })
          return admitted.length >= 6 * limit
        }).pipe(Effect.repeat({ until: (enough) => enough }))
      yield* Effect.all(
        Array.from({ length: 16 }, (_, i) => client(i % 2 === 0 ? near : far)),
        { concurrency: "unbounded" },
      )
      // Each was admitted between two times; those certainly within one window must not exceed the limit.
      for (const { sent } of admitted) {
        const surely = admitted.filter((each) => each.sent >= sent && each.heard < sent + millis)
        assert.isAtMost(surely.length, limit)
      }
    }),
  )

  it.effect("requests of one event-loop turn are sent together, equal ones as one", () =>
    Effect.gen(function* () {
      const { limiter, proxy } = yield* distant()
      yield* limiter.take("warm", standard(1))
      const before = proxy.sent().length
      const [light, heavy, others] = yield* Effect.all(
        [
          many(limiter, "turn", standard(100), 60),
          many(limiter, "turn", both(100, 70), 30),
          many(limiter, "o", standard(9), 10),
        ],
        { concurrency: "unbounded" },
      )
      assert.strictEqual(
        proxy
          .sent()
          .slice(before)
          .match(/evalsha/gi)?.length,
        3,
      )
      assert.deepStrictEqual(
        light.map(({ status }) => status.remaining),
        Array.from({ length: 60 }, (_, i) => 99 - i),
      )
      // The first requests are admitted, and the stricter bucket is reported.
      assert.deepInclude(heavy[0]?.status, { bucket: "standard", remaining: 39 })
      assert.deepStrictEqual(
        others.map(({ admitted }) => admitted),
        [...Array(9).fill(true), false],
      )
    }),
  )

  it.effect("requests on several sockets in one turn share a call", () =>
    Effect.gen(function* () {
      const { limiter, proxy } = yield* distant()
      yield* limiter.take("warm", standard(1))
      const before = proxy.sent().length
      const arrival = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.andThen(arrival, limiter.take("sockets", standard(100)))),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(
        proxy
          .sent()
          .slice(before)
          .match(/evalsha/gi)?.length,
        1,
      )
      assert.strictEqual(answers.at(-1)?.status.remaining, 90)
    }),
  )

  it.effect("a refused request is charged to none of its buckets", () =>
    Effect.gen(function* () {
      const limiter = yield* Limiter
      const answers = yield* many(limiter, "both", both(100, 3), 5)
      assert.deepStrictEqual(
        answers.map(({ admitted, status }) => [admitted, status.bucket, status.remaining]),
        [
          [true, "heavy", 2],
          [true, "heavy", 1],
          [true, "heavy", 0],
          [false, "heavy", 0],
          [false, "heavy", 0],
        ],
      )
      assert.strictEqual((yield* limiter.take("both", standard(100))).status.remaining, 96)
    }),
  )

  it.effect("scripts that Redis lost are loaded again", () =>
    Effect.gen(function* () {
      const limiter = yield* Limiter
      const redis = yield* Redis
      yield* redis.run((client) => client.script("FLUSH"))
      const answers = yield* Effect.all(
        [many(limiter, "flush", standard(3), 4), many(limiter, "flush2", standard(3), 1)],
        {
          concurrency: "unbounded",
        },
      )
      assert.deepStrictEqual(
        answers.flat().map(({ status }) => status.remaining),
        [2, 1, 0, 0, 2],
      )
    }),
  )

  it.effect("an outage grants no second allowance, neither at its start nor at its end", () =>
    Effect.gen(function* () {
      const near = yield* Limiter
      const { limiter, proxy, saidOfLimits } = yield* distant()
      const buckets = both(10, 8)
      yield* many(limiter, "outage", buckets, 4)
      proxy.become("refuse")
      const away = Effect.flip(limiter.take("other", standard(1)))
      yield* eventually(
        "the outage is noticed",
        Effect.map(Effect.exit(away), ({ _tag }) => _tag === "Success"),
      )
      assert.strictEqual((yield* away)._tag, "LimiterUnavailable")
      const alone = yield* Effect.all(Array.from({ length: 6 }, () => limiter.takeOrLocal("outage", buckets)))
      assert.deepStrictEqual(
        alone.map(({ admitted, status }) => [admitted, status.bucket, status.remaining]),
        [
          [true, "heavy", 3],
          [true, "heavy", 2],
          [true, "heavy", 1],
          [true, "heavy", 0],
          [false, "heavy", 0],
          [false, "heavy", 0],
        ],
      )
      proxy.become("pass")
      yield* eventually("it is over", Effect.isSuccess(limiter.take("other", standard(1000))))
      const after = yield* near.take("outage", buckets)
      assert.deepInclude(after, { admitted: false })
      assert.deepInclude(after.status, { bucket: "heavy", remaining: 0 })
      assert.strictEqual((yield* near.take("outage", standard(10))).status.remaining, 1)
      assert.deepStrictEqual(
        saidOfLimits().map((line) => line.replace(/: .*/, "")),
        [
          "each process counts its own requests against the limits until Redis is back",
          "limits are counted in Redis again",
        ],
      )
    }),
  )

  it.effect("while Redis is unavailable, a process has its share of the limit, at least one request", () =>
    Effect.gen(function* () {
      const { limiter, proxy } = yield* distant({ "limits.processes": "4" })
      proxy.become("refuse")
      const admittedOf = (limit: number) =>
        Effect.map(
          Effect.all(Array.from({ length: 12 }, () => limiter.takeOrLocal(`of ${limit}`, standard(limit)))),
          (answers) => answers.filter(({ admitted }) => admitted).length,
        )
      assert.deepStrictEqual(yield* Effect.forEach([10, 40, 3, 0], admittedOf), [2, 10, 1, 0])
    }),
  )

  it.effect("a command whose reply was lost is not repeated: it may have charged once, but admitted nothing", () =>
    Effect.gen(function* () {
      const near = yield* Limiter
      const { limiter, proxy } = yield* distant()
      yield* limiter.take("lost", standard(10))
      proxy.become("lose answers")
      assert.strictEqual((yield* Effect.flip(limiter.take("lost", standard(10))))._tag, "LimiterUnavailable")
      proxy.become("pass")
      yield* eventually("it is over", Effect.isSuccess(limiter.take("other lost", standard(1000))))
      assert.strictEqual((yield* near.take("lost", standard(10))).status.remaining, 7)
    }),
  )

  it.effect("the reset is the second after which a request is possible", () =>
    Effect.gen(function* () {
      const limiter = yield* Limiter
      const redis = yield* Redis
      const time = redis.run(async (client) => Number((await client.time())[0]))
      const before = yield* time
      const { status } = yield* limiter.take("reset", standard(1))
      assert.isAtLeast(status.resetAt, before + 60)
      assert.isAtMost(status.resetAt, (yield* time) + 61)
    }),
  )
})
