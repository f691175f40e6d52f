import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What wallets realized on each day of UTC, because windows of the busiest have a million events. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table wallet_day (
      realized bigint not null,
      profit bigint not null,
      wallet integer not null,
      day integer not null,
      wins integer not null,
      losses integer not null,
      events integer not null,
      primary key (wallet, day)
    ) with (fillfactor = 80)`
  // The newest block whose events are counted.
  yield* sql`
    create table wallet_day_progress (single boolean primary key default true check (single), to_block integer not null)`
})
