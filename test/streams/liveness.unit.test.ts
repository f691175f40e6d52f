import { assert, describe, it } from "@effect/vitest"
import type { SourceStatus } from "#src/status/model.ts"
import { livenessOf, type SourceObservation } from "#src/streams/liveness/sourceLiveness.ts"

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

const observation = (more: Partial<SourceObservation> = {}): SourceObservation => ({
  source: more.status?.source ?? "chain",
  boundMillis: 30_000,
  status: status(),
  readMillisAgo: 500,
  failure: undefined,
  ownAgeMillis: undefined,
  ...more,
})

describe("livenessOf", () => {
  it("the age advances from the last read, and a source is stale beyond its bound", () => {
    assert.deepStrictEqual(livenessOf(observation()), {
      source: "chain",
      ageMillis: 2500,
      boundMillis: 30_000,
      isStale: false,
    })
    const aged = (age_seconds: number, readMillisAgo: number) =>
      livenessOf(observation({ status: status({ age_seconds }), readMillisAgo }))
    assert.isFalse(aged(29.5, 500).isStale)
    assert.deepStrictEqual(aged(29.5, 501), {
      source: "chain",
      ageMillis: 30_001,
      boundMillis: 30_000,
      isStale: true,
    })
  })

  it("a source without a follower or without any data is stale whatever its age", () => {
    assert.match(livenessOf(observation({ status: status({ state: "stopped" }) })).reason ?? "", /no process follows/)
    const never = livenessOf(observation({ status: status({ state: "unknown", age_seconds: null }) }))
    assert.deepInclude(never, { isStale: true, ageMillis: null })
    assert.match(never.reason ?? "", /never delivered data/)
  })

  it("a source whose status cannot be read becomes stale after its bound, with the reason", () => {
    const unread = (readMillisAgo: number) =>
      livenessOf(
        observation({
          status: status({ source: "sports", age_seconds: null }),
          readMillisAgo,
          failure: "Redis: unavailable",
        }),
      )
    assert.isFalse(unread(30_000).isStale)
    assert.strictEqual(unread(30_001).reason, "its status cannot be read: Redis: unavailable")
    assert.isTrue(livenessOf(observation({ status: undefined, readMillisAgo: 0 })).isStale)
  })

  it("data received in this process prove that a source is alive, whatever its status", () => {
    const stopped = status({ source: "oracle_data_streams", state: "stopped", age_seconds: 40 })
    const own = (ownAgeMillis: number) =>
      livenessOf(observation({ status: stopped, ownAgeMillis, boundMillis: 10_000 }))
    assert.deepInclude(own(10_000), { isStale: false, ageMillis: 10_000 })
    assert.deepInclude(own(10_001), { isStale: true, ageMillis: 10_001 })
  })

  it("silent sports are not stale, but a late catalogue and a log far behind are", () => {
    assert.isFalse(livenessOf(observation({ status: status({ source: "sports", age_seconds: 9_999 }) })).isStale)
    assert.isTrue(livenessOf(observation({ status: status({ source: "catalogue", state: "late" }) })).isStale)
    const log = livenessOf(observation({ status: status({ source: "event_log", state: "late", lag: 5_000 }) }))
    assert.strictEqual(log.reason, "5000 events are not yet delivered")
    assert.isFalse(livenessOf(observation({ status: status({ state: "late" }) })).isStale)
  })
})
