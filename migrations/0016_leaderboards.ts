import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Who gained how much in which scope. Scope 0 is everything, the others are categories and tags. What is counted here is
 * a sum over positions and realized events as of a block, and moves on with the ledger.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table leaderboard_scope (
      id integer generated always as identity primary key,
      kind text not null check (kind in ('category', 'tag')),
      value text not null,
      unique (kind, value)
    )`
  // The scopes under which a token is counted, apart from 0: those that it had when the catalogue was looked at last.
  yield* sql`create table leaderboard_token (token integer, scope integer, primary key (token, scope))`

  // Over the last 1, 7 and 30 days. Only wallets that have realized something are here.
  yield* sql`
    create table leaderboard_rolling (
      scope integer not null,
      days smallint not null,
      wallet integer not null,
      realized bigint not null,
      profit bigint not null,
      wins integer not null,
      losses integer not null,
      events integer not null,
      primary key (scope, days, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create index leaderboard_rolling_rank on leaderboard_rolling (scope, days, realized desc, wallet)`
  yield* sql`
    create table leaderboard_count (
      scope integer not null,
      days smallint not null,
      wallets integer not null,
      primary key (days, scope)
    )`

  // Of all time: sums over positions. Open ones are valued at the price in leaderboard_price.
  yield* sql`
    create table leaderboard_standing (
      scope integer not null,
      wallet integer not null,
      realized bigint not null,
      profit bigint not null,
      wins integer not null,
      losses integer not null,
      positions integer not null,
      open integer not null,
      volume bigint not null,
      unrealized bigint not null,
      primary key (scope, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create table leaderboard_price (token integer primary key, price integer not null)`
  // Tokens whose price may be another by now.
  yield* sql`create table leaderboard_repriced (token integer primary key)`

  // The block up to which the boards count: every number is as of it. Stale boards are rebuilt.
  yield* sql`
    create table leaderboard_state (
      single boolean primary key default true check (single),
      block integer not null,
      at timestamptz not null,
      version bigint not null,
      stale boolean not null default false,
      priced_at timestamptz not null,
      refreshed_at timestamptz not null default now()
    )`

  // Counted events that the chain has retracted since.
  yield* sql`
    create table leaderboard_retracted_event (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      wallet integer not null,
      token integer not null,
      amount bigint not null
    )`
  // A position as it was counted; where it had not existed, everything is 0. There is one row for each. No key says so,
  // because a rollback would then wait for a refresh that works on the same rows.
  yield* sql`
    create table leaderboard_retracted_position (
      id bigint generated always as identity primary key,
      wallet integer not null,
      token integer not null,
      existed boolean not null,
      realized bigint not null,
      profit bigint not null,
      wins integer not null,
      losses integer not null,
      volume bigint not null,
      open boolean not null,
      shares bigint not null,
      cost bigint not null
    )`

  // Conditions whose tokens may belong to other scopes than they are counted under. A writer of the catalogue or the
  // ledger only adds rows, and so never waits for a board.
  yield* sql`create table leaderboard_rescoped (id bigint generated always as identity primary key, condition integer not null)`
  const trigger = (table: string, conditions: string, changes: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const changed = changes.map((column) => `old.${column} is distinct from new.${column}`).join(" or ")
      yield* sql.unsafe(`
        create function leaderboard_rescoped_by_${table}() returns trigger language plpgsql as $$
        begin
          if tg_op = 'INSERT' then
            insert into leaderboard_rescoped (condition) ${conditions.replace("CHANGED", "fresh")};
          else
            insert into leaderboard_rescoped (condition) ${conditions.replace("CHANGED", "(select old.* union all select new.*)")};
          end if;
          return null;
        end $$`)
      yield* sql.unsafe(`
        create trigger leaderboard_rescoped_inserted after insert on ${table}
        referencing new table as fresh for each statement execute function leaderboard_rescoped_by_${table}()`)
      yield* sql.unsafe(`
        create trigger leaderboard_rescoped_updated after update of ${changes.join(", ")} on ${table}
        for each row when (${changed}) execute function leaderboard_rescoped_by_${table}()`)
    })
  yield* trigger(
    "event",
    "select m.condition from CHANGED c join market m on m.event = c.id where m.condition is not null",
    ["tags", "category"],
  )
  yield* trigger("market", "select c.condition from CHANGED c where c.condition is not null", ["event", "condition"])
  yield* trigger("token", "select c.condition from CHANGED c where c.condition is not null", ["condition", "outcome"])
})
