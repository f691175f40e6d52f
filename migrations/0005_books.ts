import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The midpoint from which the next price change of a token is measured, in 10⁻⁶. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table book_baseline (
      token integer primary key references token,
      mid integer not null,
      set_at timestamptz not null default now()
    )`
})
