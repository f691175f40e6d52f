import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Units of a quota that are held while their request runs, and what was read from X in a month. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // A unit is part of `quota_month.used` from its reservation on. A row that outlives its process gives it back.
  yield* sql`
    create table quota_reservation (
      id uuid primary key,
      account_id uuid not null,
      quota text not null,
      month date not null,
      expires_at timestamptz not null,
      foreign key (account_id, quota, month) references quota_month (account_id, quota, month) on delete cascade
    )`
  yield* sql`create index quota_reservation_month on quota_reservation (account_id, quota, month)`
  yield* sql`
    create table social_read_month (
      month date primary key,
      posts bigint not null
    )`
})
