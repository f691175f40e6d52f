import { assert, describe, it } from "@effect/vitest"
import type { Filter } from "#src/feed/Filter.ts"
import type { EventType } from "#src/feed/model.ts"
import { sourcesOf } from "#ws/events/sourcesOf.ts"

const to = (types: ReadonlyArray<EventType>, status?: Filter["status"]) =>
  [
    ...sourcesOf([
      {
        id: "1",
        stream: "markets",
        from: 0,
        wish: { key: "", filter: { types: new Set(types), conditions: [], status } },
      },
    ]),
  ].sort()

describe("What a subscription depends on", () => {
  it("is who writes what it asks for, so that no silence is called fresh", () => {
    assert.deepStrictEqual(to(["fill", "reorg"], "confirmed"), ["chain", "event_log"])
    assert.deepStrictEqual(to(["fill", "reorg"]), ["chain", "event_log", "mempool"])
    assert.deepStrictEqual(to(["combo_execution", "combo_status_update"]), ["chain", "event_log", "mempool"])
    assert.deepStrictEqual(to(["price_change", "reorg"]), ["books", "event_log"])
    assert.deepStrictEqual(to(["score", "market_created"]), ["catalogue", "event_log", "sports"])
    assert.deepStrictEqual(sourcesOf([]), [])
  })
})
