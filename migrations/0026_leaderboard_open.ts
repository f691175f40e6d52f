import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Boards value open positions when they are read, so that a new price of a token is one changed row and not one per holder
 * and scope. The boards are rebuilt, which fills the new table.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table leaderboard_open (
      token integer not null,
      wallet integer not null,
      shares bigint not null,
      cost bigint not null,
      primary key (token, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create index leaderboard_open_wallet on leaderboard_open (wallet)`
  yield* sql`alter table leaderboard_standing drop column unrealized`
  yield* sql`drop table leaderboard_repriced`
  yield* sql`
    alter table leaderboard_price drop column next, drop column below, add column traded boolean not null default false`
  yield* sql`alter table leaderboard_state drop column priced_at`
  yield* sql`delete from leaderboard_state`
})
