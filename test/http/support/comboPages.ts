import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Dice } from "#src/simulator/random.ts"
import { askWith } from "./keys.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
type Json = any

const isSoak = process.env.PRESAGE_SOAK === "1"

/** The body of an answer, which must be 200. */
export const ask = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  return json as Json
})

/** Reads a list page by page, by cursor or offset. */
export const everyRow = Effect.fnUntraced(function* (key: string, path: string, rowsKey: string, dice: Dice) {
  const rows: Array<Json> = []
  const byCursor = dice.chance(0.6)
  const limit = isSoak ? dice.between(3, 40) : dice.between(25, 60)
  let next = ""
  for (;;) {
    const json = yield* ask(key, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${next}`)
    assert.deepInclude(json, { limit, rows_returned: json[rowsKey].length, position_type: "combo", source: "onchain" })
    rows.push(...json[rowsKey])
    if (!json.has_more) return rows
    assert.strictEqual(json[rowsKey].length, limit, path)
    next = byCursor ? `&cursor=${json.next_cursor}` : `&offset=${rows.length}`
  }
})
