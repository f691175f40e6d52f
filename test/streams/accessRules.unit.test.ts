import { assert, describe, it } from "@effect/vitest"
import { plans } from "#src/domain/Plan.ts"
import { ConnectedTime, splitByDay } from "#src/streams/access/ConnectedTime.ts"
import { capOf, firehosesOf, leaseKinds } from "#src/streams/access/caps.ts"
import { LocalLeases } from "#src/streams/access/LocalLeases.ts"
import { MessageRate, maxRefusals } from "#src/streams/access/MessageRate.ts"
import { TokenBucket } from "#src/streams/access/TokenBucket.ts"
import { wsFirehoses } from "#src/streams/settings.ts"

const pace = { perSecond: 20, burst: 200 }

describe("Caps", () => {
  it("follow the plans, and the setting for unfiltered subscriptions", () => {
    const firehoses = firehosesOf(wsFirehoses.default)
    assert.deepStrictEqual(
      plans.map((plan) => leaseKinds.map((kind) => capOf(plan, kind, firehoses))),
      [
        [1, 1, 0],
        [10, 10, 1],
        [50, 50, 5],
        [50, 50, 5],
        [null, null, null],
      ],
    )
    assert.deepStrictEqual(firehosesOf("unlimited,2,0,9,7"), {
      free: null,
      starter: 2,
      growth: 0,
      pro: 9,
      enterprise: 7,
    })
  })
})

describe("TokenBucket", () => {
  const takenOf = (bucket: TokenBucket, tries: number, now: number) =>
    Array.from({ length: tries }, () => bucket.take(pace, now)).filter(Boolean).length

  it("allows the burst at once, then the rate, and never more than the burst", () => {
    const bucket = new TokenBucket(pace, 0)
    assert.strictEqual(takenOf(bucket, 300, 0), 200)
    assert.strictEqual(takenOf(bucket, 300, 49), 0)
    assert.strictEqual(takenOf(bucket, 300, 50), 1)
    assert.strictEqual(takenOf(bucket, 300, 1050), 20)
    assert.strictEqual(takenOf(bucket, 300, 3_600_000), 200)
  })

  it("refills after the clock was set back, and accepts refunds", () => {
    const bucket = new TokenBucket(pace, 1_000_000)
    assert.strictEqual(takenOf(bucket, 300, 1_000_000), 200)
    assert.strictEqual(takenOf(bucket, 300, 5000), 0)
    assert.strictEqual(takenOf(bucket, 300, 5100), 2)
    bucket.refund()
    assert.strictEqual(takenOf(bucket, 300, 5100), 1)
  })
})

describe("MessageRate", () => {
  /** Counts the decisions for evenly spaced messages until the connection is closed. */
  const decisions = (perSecond: number, seconds: number) => {
    const rate = new MessageRate(pace, 0)
    const counts = { ok: 0, refuse: 0, close: 0 }
    for (let i = 0; i < perSecond * seconds && counts.close === 0; i++)
      counts[rate.decide(pace, (i * 1000) / perSecond)]++
    return counts
  }

  it("accepts all messages at the allowed rate", () => {
    assert.deepStrictEqual(decisions(20, 600), { ok: 12_000, refuse: 0, close: 0 })
  })

  it("refuses some messages slightly above the rate and keeps the connection", () => {
    const { ok, refuse, close } = decisions(30, 600)
    assert.strictEqual(close, 0)
    assert.isTrue(ok >= 12_000 && ok <= 12_200 && refuse > 5000)
  })

  it("refuses a flood at first and then closes the connection", () => {
    const { ok, refuse, close } = decisions(10_000, 10)
    assert.strictEqual(close, 1)
    assert.isTrue(ok >= 200 && ok < 205 && refuse >= maxRefusals && refuse < maxRefusals + 5)
    assert.strictEqual(decisions(100, 60).close, 1)
  })
})

describe("LocalLeases", () => {
  it("a lease dropped while pending is not held when it is granted", () => {
    const leases = new LocalLeases()
    leases.request("key", "events", "stays")
    leases.settle("key", "stays", true)
    leases.request("key", "events", "leaves")
    assert.strictEqual(leases.countOthers("key", "next"), 1)
    assert.isTrue(leases.drop("key", "leaves"))
    leases.settle("key", "leaves", true)
    assert.deepStrictEqual(leases.held(), [{ key: "key", ids: ["stays"] }])
    assert.deepStrictEqual(leases.counts(), { events: 1, books: 0, firehose: 0 })
    assert.isFalse(leases.drop("key", "leaves"))
  })

  it("a refusal or a repeated request does not change the held leases", () => {
    const leases = new LocalLeases()
    leases.request("key", "books", "a")
    leases.settle("key", "a", true)
    leases.request("key", "books", "a")
    leases.request("key", "books", "b")
    leases.settle("key", "b", false)
    assert.deepStrictEqual(leases.held(), [{ key: "key", ids: ["a"] }])
  })
})

describe("ConnectedTime", () => {
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

  it("is reported once, whatever the number of open connections", () => {
    const time = new ConnectedTime()
    time.opened(10)
    time.opened(20)
    time.closed(30)
    assert.deepStrictEqual(time.unreported(40), [{ from: 10, to: 40 }])
    time.reported(40)
    time.closed(50)
    time.opened(60)
    assert.deepStrictEqual(time.unreported(70), [
      { from: 40, to: 50 },
      { from: 60, to: 70 },
    ])
    assert.isFalse(time.isFullyReported)
    time.closed(70)
    time.reported(70)
    assert.isTrue(time.isFullyReported)
  })

  it("stays small for an account that reconnects often while reporting fails", () => {
    const time = new ConnectedTime()
    for (let i = 0; i < 1000; i++) {
      time.opened(i * 10)
      time.closed(i * 10 + 5)
    }
    const intervals = time.unreported(10_000)
    assert.isAtMost(intervals.length, 20)
    assert.deepStrictEqual([intervals[0]?.from, intervals.at(-1)?.to], [0, 9995])
  })
})
