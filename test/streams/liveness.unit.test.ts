import { assert, describe, it } from "@effect/vitest"
import type { SourceStatus } from "#src/status/model.ts"
import { type Known, standingOf } from "#src/streams/liveness/standing.ts"

const status = (more: Partial<SourceStatus> = {}): SourceStatus => ({
  source: "chain",
  state: "ok",
  age_seconds: 2,
  lag: 0,
  rows_per_second: 0,
  gaps: null,
  reconnects: 0,
  undecodable: 0,
  last_undecodable: null,
  reported_seconds_ago: 1,
  counted_since: 0,
  details: {},
  ...more,
})

const known = (more: Partial<Known> = {}): Known => ({
  source: more.status?.source ?? "chain",
  boundMillis: 30_000,
  status: status(),
  readMillisAgo: 500,
  failure: undefined,
  ownAgeMillis: undefined,
  ...more,
})

describe("How a source stands", () => {
  it("its age goes on from when it was looked at, and is stale beyond its bound", () => {
    assert.deepStrictEqual(standingOf(known()), {
      source: "chain",
      ageMillis: 2500,
      boundMillis: 30_000,
      isStale: false,
    })
    const aged = (age_seconds: number, readMillisAgo: number) =>
      standingOf(known({ status: status({ age_seconds }), readMillisAgo }))
    assert.isFalse(aged(29.5, 500).isStale)
    assert.deepStrictEqual(aged(29.5, 501), {
      source: "chain",
      ageMillis: 30_001,
      boundMillis: 30_000,
      isStale: true,
    })
  })

  it("one that nobody follows, or from which nothing ever came, is stale whatever its age", () => {
    assert.match(standingOf(known({ status: status({ state: "stopped" }) })).reason ?? "", /no process follows/)
    const never = standingOf(known({ status: status({ state: "unknown", age_seconds: null }) }))
    assert.deepInclude(never, { isStale: true, ageMillis: null })
    assert.match(never.reason ?? "", /ever come/)
  })

  it("one that cannot be looked at is stale once that is longer ago than its bound, with the reason", () => {
    const unread = (readMillisAgo: number) =>
      standingOf(
        known({ status: status({ source: "sports", age_seconds: null }), readMillisAgo, failure: "Redis: away" }),
      )
    assert.isFalse(unread(30_000).isStale)
    assert.strictEqual(unread(30_001).reason, "its status cannot be read: Redis: away")
    assert.isTrue(standingOf(known({ status: undefined, readMillisAgo: 0 })).isStale)
  })

  it("what comes in here shows that a source lives, whatever is said about it", () => {
    const stopped = status({ source: "oracle_data_streams", state: "stopped", age_seconds: 40 })
    const own = (ownAgeMillis: number) => standingOf(known({ status: stopped, ownAgeMillis, boundMillis: 10_000 }))
    assert.deepInclude(own(10_000), { isStale: false, ageMillis: 10_000 })
    assert.deepInclude(own(10_001), { isStale: true, ageMillis: 10_001 })
  })

  it("between games no score is old, a late catalogue is, and so is a log that is far behind", () => {
    assert.isFalse(standingOf(known({ status: status({ source: "sports", age_seconds: 9_999 }) })).isStale)
    assert.isTrue(standingOf(known({ status: status({ source: "catalogue", state: "late" }) })).isStale)
    const log = standingOf(known({ status: status({ source: "event_log", state: "late", lag: 5_000 }) }))
    assert.strictEqual(log.reason, "5000 events are still on their way")
    assert.isFalse(standingOf(known({ status: status({ state: "late" }) })).isStale)
  })
})
