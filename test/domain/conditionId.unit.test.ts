import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { Condition } from "#src/upstream/clob/decimal.ts"
import { conditionOf } from "#src/upstream/gamma/fields.ts"
import { checkFilters } from "#src/webhooks/subscriptions/filters.ts"
import { groupNames } from "#ws/books/bookRequest.ts"

const short = `0x012DEF24bfb0c5c57fb236fac08b94236a${"0".repeat(28)}`
const padded = `${short.toLowerCase()}00`

describe("A condition of 31 bytes", () => {
  it("is the same condition with and without padding, wherever it comes from", () => {
    assert.lengthOf(short, 64)
    for (const text of [short, padded]) {
      assert.strictEqual(Schema.decodeSync(ConditionId)(text), padded)
      assert.strictEqual(conditionOf(text), padded.slice(2))
      assert.strictEqual(Schema.decodeSync(Condition)(text), padded.slice(2))
      assert.deepStrictEqual([...groupNames([text]).conditions], [padded])
      const filters = checkFilters(["trade"], { condition_ids: [text] })
      assert.include(JSON.stringify(filters), `"${padded}"`)
    }
    assert.isNull(conditionOf(short.slice(0, -2)))
  })
})
