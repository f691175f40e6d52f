import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Oracle prices, the seconds they never came for, and which seconds are settled either way. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // Moments are milliseconds, prices whole numbers of 10⁻⁸ USD. A partition is one UTC day.
  yield* sql`
    create table tick (
      at bigint not null,
      received_at bigint not null,
      price bigint not null,
      bid bigint not null,
      ask bigint not null,
      feed smallint not null,
      source smallint not null,
      primary key (feed, source, at)
    ) partition by range (at)`

  yield* sql`
    create table tick_gap (
      feed smallint not null,
      source smallint not null,
      from_at bigint not null,
      to_at bigint not null,
      found_at bigint not null,
      primary key (feed, source, from_at)
    )`

  // A second in here has its tick or its gap; every other one within reach is still to be asked for.
  yield* sql`
    create table tick_coverage (
      feed smallint not null,
      source smallint not null,
      seconds int8multirange not null default '{}',
      primary key (feed, source)
    )`
})
