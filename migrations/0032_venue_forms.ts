import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The venue's ids of games are free text, its live scores have no slug, and fee exponents may have decimals. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table game alter column id type text, alter column slug drop not null`
  yield* sql`alter table event alter column game type text`
  yield* sql`alter table market alter column game type text, alter column fee_exponent type double precision`
})
