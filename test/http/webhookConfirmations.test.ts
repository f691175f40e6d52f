import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { serving } from "#test/http/support/serving.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { create, send } from "./support/webhooks.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1" })),
)

layer(server, { excludeTestServices: true })("Webhooks over REST", (it) => {
  it.effect("are created with confirmations that every event type can have, and keep them", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      for (const confirmations of [0, 3, "finalized"]) {
        const { status, json } = yield* create(key, { confirmations })
        assert.deepInclude({ status, ...json }, { status: 201, confirmations })
        const path = `/v3/webhooks/${json.id}`
        assert.strictEqual((yield* askWith(key, path)).json.confirmations, confirmations)
        assert.strictEqual((yield* send(key, "PUT", path, { confirmations, description: "same" })).status, 200)
        const other = yield* send(key, "PUT", path, { confirmations: confirmations === 0 ? 3 : 0 })
        assert.strictEqual(other.status, 400, other.text)
        assert.deepInclude(other.json, { field: "confirmations" })
      }
      const refused = yield* create(key, { confirmations: 5 })
      assert.strictEqual(refused.status, 400)
      assert.match(refused.json.error, /expected 0, 3 or "finalized", got 5/)
      assert.strictEqual((yield* create(key, { confirmations: "latest" })).status, 400)
      const early = { event_types: ["trade", "first_trade"], confirmations: 0 }
      const unsound = yield* create(key, early)
      assert.strictEqual(unsound.status, 400)
      assert.match(unsound.json.error, /first_trade cannot be delivered with "confirmations": 0/)
      const { json } = yield* create(key, { event_types: ["trade"], confirmations: 0 })
      const widened = yield* send(key, "PUT", `/v3/webhooks/${json.id}`, { event_types: early.event_types })
      assert.strictEqual(widened.status, 400, widened.text)
    }),
  )
})
