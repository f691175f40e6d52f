import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { askWith } from "#test/http/support/keys.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
export type Json = any

export const ask = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  return json as Json
})

/** Reads a list page by page. */
export const everyPage = Effect.fnUntraced(function* (
  apiKey: string,
  path: string,
  key: string,
  byCursor: boolean,
  limit = 3,
) {
  const rows: Array<Json> = []
  for (let next = ""; ; ) {
    const json = yield* ask(apiKey, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${next}`)
    rows.push(...json[key])
    assert.strictEqual(json.rows_returned, json[key].length)
    if (!json.has_more) return rows
    next = byCursor ? `&cursor=${json.next_cursor}` : `&offset=${rows.length}`
  }
})
