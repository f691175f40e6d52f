import { assert, describe, it } from "@effect/vitest"
import type { Filter } from "#src/feed/filters/Filter.ts"
import type { EventType } from "#src/feed/model.ts"
import { sourcesOf } from "#ws/events/eventRequest.ts"

const sourcesOfTypes = (types: ReadonlyArray<EventType>, status?: Filter["status"]) =>
  [
    ...sourcesOf([
      {
        id: "1",
        stream: "markets",
        from: 0,
        filter: { key: "", filter: { types: new Set(types), conditions: [], status } },
      },
    ]),
  ].sort()

describe("sourcesOf", () => {
  it("includes every writer of the subscribed events, so that silence never looks fresh", () => {
    assert.deepStrictEqual(sourcesOfTypes(["fill", "reorg"], "confirmed"), ["chain", "event_log"])
    assert.deepStrictEqual(sourcesOfTypes(["fill", "reorg"]), ["chain", "event_log", "mempool"])
    assert.deepStrictEqual(sourcesOfTypes(["combo_execution", "combo_status_update"]), [
      "chain",
      "event_log",
      "mempool",
    ])
    assert.deepStrictEqual(sourcesOfTypes(["price_change", "reorg"]), ["books", "event_log"])
    assert.deepStrictEqual(sourcesOfTypes(["score", "market_created"]), ["catalogue", "event_log", "sports"])
    assert.deepStrictEqual(sourcesOf([]), [])
  })
})
