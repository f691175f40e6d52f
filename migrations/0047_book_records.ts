import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Order books right after trades. Moments are milliseconds by the venue's clock; a partition is one UTC day. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table book_record (
      at bigint not null,
      token integer not null,
      levels bytea not null,
      primary key (token, at)
    ) partition by range (at)`
})
