import { assert, describe, it } from "@effect/vitest"
import { plans } from "#src/domain/Plan.ts"
import { capOf, firehosesOf, leaseKinds } from "#src/streams/access/caps.ts"
import { Holdings } from "#src/streams/access/Holdings.ts"
import { MessageRate, mostRefusals } from "#src/streams/access/MessageRate.ts"
import { OpenTime, splitByDay } from "#src/streams/access/OpenTime.ts"
import { TokenBucket } from "#src/streams/access/TokenBucket.ts"
import { wsFirehoses } from "#src/streams/settings.ts"

const pace = { perSecond: 20, burst: 200 }

describe("Caps", () => {
  it("are those of the plans, and of the setting for unfiltered subscriptions", () => {
    const firehoses = firehosesOf(wsFirehoses.default)
    assert.deepStrictEqual(
      plans.map((plan) => leaseKinds.map((kind) => capOf(plan, kind, firehoses))),
      [
        [1, 1, 0],
        [10, 10, 1],
        [50, 50, 5],
        [null, null, null],
      ],
    )
    assert.deepStrictEqual(firehosesOf("unlimited,2,0,7"), { free: null, starter: 2, growth: 0, enterprise: 7 })
  })
})

describe("Buckets of tokens", () => {
  const takenOf = (bucket: TokenBucket, tries: number, now: number) =>
    Array.from({ length: tries }, () => bucket.take(pace, now)).filter(Boolean).length

  it("give the burst at once, then the rate, and never more than the burst", () => {
    const bucket = new TokenBucket(pace, 0)
    assert.strictEqual(takenOf(bucket, 300, 0), 200)
    assert.strictEqual(takenOf(bucket, 300, 49), 0)
    assert.strictEqual(takenOf(bucket, 300, 50), 1)
    assert.strictEqual(takenOf(bucket, 300, 1050), 20)
    assert.strictEqual(takenOf(bucket, 300, 3_600_000), 200)
  })

  it("are filled on after the clock was set back, and take back what was not needed", () => {
    const bucket = new TokenBucket(pace, 1_000_000)
    assert.strictEqual(takenOf(bucket, 300, 1_000_000), 200)
    assert.strictEqual(takenOf(bucket, 300, 5000), 0)
    assert.strictEqual(takenOf(bucket, 300, 5100), 2)
    bucket.giveBack()
    assert.strictEqual(takenOf(bucket, 300, 5100), 1)
  })
})

describe("Messages of a connection", () => {
  /** How many of each verdict, for messages at an even distance, until it is cut. */
  const outcome = (perSecond: number, seconds: number) => {
    const rate = new MessageRate(pace, 0)
    const counts = { ok: 0, refuse: 0, close: 0 }
    for (let i = 0; i < perSecond * seconds && counts.close === 0; i++)
      counts[rate.judge(pace, (i * 1000) / perSecond)]++
    return counts
  }

  it("at the rate are all taken, for as long as one likes", () => {
    assert.deepStrictEqual(outcome(20, 600), { ok: 12_000, refuse: 0, close: 0 })
  })

  it("a little above it are refused in part, and the connection stays", () => {
    const { ok, refuse, close } = outcome(30, 600)
    assert.strictEqual(close, 0)
    assert.isTrue(ok >= 12_000 && ok <= 12_200 && refuse > 5000)
  })

  it("in a flood are refused at first and then end the connection", () => {
    const { ok, refuse, close } = outcome(10_000, 10)
    assert.strictEqual(close, 1)
    assert.isTrue(ok >= 200 && ok < 205 && refuse >= mostRefusals && refuse < mostRefusals + 5)
    assert.strictEqual(outcome(100, 60).close, 1)
  })
})

describe("Leases of a gateway", () => {
  it("what was given up while it was asked for is not held when the answer comes", () => {
    const holdings = new Holdings()
    holdings.ask("key", "events", "stays")
    holdings.settle("key", "stays", true)
    holdings.ask("key", "events", "leaves")
    assert.strictEqual(holdings.others("key", "next"), 1)
    assert.isTrue(holdings.drop("key", "leaves"))
    holdings.settle("key", "leaves", true)
    assert.deepStrictEqual(holdings.held(), [{ key: "key", ids: ["stays"] }])
    assert.deepStrictEqual(holdings.counts(), { events: 1, books: 0, firehose: 0 })
    assert.isFalse(holdings.drop("key", "leaves"))
  })

  it("to be refused or to be asked about again changes nothing of what is held", () => {
    const holdings = new Holdings()
    holdings.ask("key", "books", "a")
    holdings.settle("key", "a", true)
    holdings.ask("key", "books", "a")
    holdings.ask("key", "books", "b")
    holdings.settle("key", "b", false)
    assert.deepStrictEqual(holdings.held(), [{ key: "key", ids: ["a"] }])
  })
})

describe("Time that a gateway counts for an account", () => {
  const midnight = Date.UTC(2031, 4, 7)

  it("is split at midnight", () => {
    const day = 86_400_000
    assert.deepStrictEqual(splitByDay({ from: midnight - 5, to: midnight + day + 7 }), [
      { from: midnight - 5, to: midnight },
      { from: midnight, to: midnight + day },
      { from: midnight + day, to: midnight + day + 7 },
    ])
    assert.deepStrictEqual(splitByDay({ from: midnight - 5, to: midnight }), [{ from: midnight - 5, to: midnight }])
    assert.deepStrictEqual(splitByDay({ from: midnight, to: midnight }), [{ from: midnight, to: midnight }])
  })

  it("is told once, however many connections are open", () => {
    const time = new OpenTime()
    time.opened(10)
    time.opened(20)
    time.closed(30)
    assert.deepStrictEqual(time.untold(40), [{ from: 10, to: 40 }])
    time.told(40)
    time.closed(50)
    time.opened(60)
    assert.deepStrictEqual(time.untold(70), [
      { from: 40, to: 50 },
      { from: 60, to: 70 },
    ])
    assert.isFalse(time.isAllTold)
    time.closed(70)
    time.told(70)
    assert.isTrue(time.isAllTold)
  })

  it("takes little room for one who comes and goes while nobody can be told", () => {
    const time = new OpenTime()
    for (let i = 0; i < 1000; i++) {
      time.opened(i * 10)
      time.closed(i * 10 + 5)
    }
    const stretches = time.untold(10_000)
    assert.isAtMost(stretches.length, 20)
    assert.deepStrictEqual([stretches[0]?.from, stretches.at(-1)?.to], [0, 9995])
  })
})
