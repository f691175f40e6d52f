import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Marks the whole history as read, as a follower would. */
export const historyRead = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`
    insert into chain_cursor (name, block, hash, started_from, head, caught_up_at)
    values ('polygon', 1, '\\x01', 1, 1, now()) on conflict (name) do update set caught_up_at = now()`
})
