import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { allEntries, stores } from "./support/rendered.ts"

layer(stores(), { excludeTestServices: true })("Unreadable log entries", (it) => {
  it.effect("are skipped, and later entries are rendered", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx } = yield* Postgres
      const reorg = { kind: "reorg", ref: 1n, data: { fork_block: 1, fork_hash: "0x1", retracted: [] } }
      const senseless = ["block", "price_change", "score", "settlement_status", "reorg", "nothing-we-know"]
      yield* tx(log.append([...senseless.map((kind) => ({ kind, ref: 7n })), reorg]))
      const reported = (yield* allEntries).map(({ kind, messages }) => [kind, messages.length])
      assert.deepStrictEqual(reported.slice(0, -1), [
        ...senseless.slice(0, -2).map((kind) => [kind, 0]),
        ["reorg", 0],
        ["nothing-we-know", 0],
      ])
      assert.deepStrictEqual(reported.at(-1), ["reorg", 1])
    }),
  )
})
