import { assert, describe, it } from "@effect/vitest"
import { eventIdOf, uuidV5 } from "#src/webhooks/eventId.ts"
import type { WebhookId } from "#src/webhooks/model.ts"

describe("Event ids", () => {
  it("are UUIDs of version 5 (RFC 9562)", () => {
    assert.strictEqual(
      uuidV5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com"),
      "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    )
  })

  it("never change between releases, because everything would be sent again", () => {
    const id = "wh_0123456789ab" as WebhookId
    assert.strictEqual(eventIdOf(id, "trade", "fill ab 0"), "e21db579-8304-57bd-a785-564c3eb89509")
    assert.notStrictEqual(eventIdOf(id, "large_trade", "fill ab 0"), eventIdOf(id, "trade", "fill ab 0"))
  })
})
