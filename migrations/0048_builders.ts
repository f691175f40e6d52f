import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What orders traded through the builders that routed them. Builder 0 has the orders that nobody routed, -1 those of every
 * builder together. Volumes are by role and side of the order.
 */
const figures = `
  maker_buy bigint not null,
  maker_sell bigint not null,
  taker_buy bigint not null,
  taker_sell bigint not null,
  fees bigint not null,
  fills bigint not null,
  first_at integer not null,
  last_at integer not null,
  users integer not null`

export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // What the venue says about builders, by its list of them. `name_key` is the name in lower case.
  yield* sql`
    create table builder_profile (
      code bytea primary key,
      name text,
      name_key text,
      logo text,
      verified boolean not null,
      rank integer not null,
      volume bigint not null,
      active_users integer not null,
      refreshed_at timestamptz not null,
      checked_at timestamptz not null
    )`
  yield* sql`create index builder_profile_name on builder_profile (name_key)`

  yield* sql.unsafe(
    `create table builder_day (${figures}, builder integer not null, day integer not null, primary key (builder, day)) with (fillfactor = 80)`,
  )
  yield* sql`create index builder_day_day on builder_day (day, builder)`
  yield* sql.unsafe(`create table builder_total (${figures}, builder integer primary key) with (fillfactor = 80)`)

  // The wallets of the first and the last counted day, which may get more. Those of other days are counted for good.
  yield* sql`
    create table builder_day_user (
      builder integer not null, day integer not null, wallet integer not null, primary key (builder, day, wallet))`
  yield* sql`
    create table builder_user (
      usd bigint not null,
      fees bigint not null,
      builder integer not null,
      wallet integer not null,
      fills integer not null,
      first_at integer not null,
      last_at integer not null,
      primary key (builder, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create index builder_user_volume on builder_user (builder, usd, wallet)`
  // The last days before the newest counted block.
  yield* sql`
    create table builder_window (
      usd bigint not null,
      fees bigint not null,
      builder integer not null,
      wallet integer not null,
      fills integer not null,
      days smallint not null,
      primary key (builder, days, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create index builder_window_volume on builder_window (builder, days, usd, wallet)`

  // Counted blocks, in all and by each window.
  yield* sql`
    create table builder_progress (
      single boolean primary key default true check (single), from_block integer not null, to_block integer not null)`
  yield* sql`
    create table builder_window_progress (
      days smallint primary key, from_block integer not null, to_block integer not null)`

  // Gains and losses of the wallets that use a builder, of all time (0 days) and of the windows, as the boards have them.
  yield* sql`
    create table builder_pnl (
      realized bigint not null,
      profit bigint not null,
      unrealized bigint not null,
      total bigint not null,
      builder integer not null,
      wallet integer not null,
      wins integer not null,
      losses integer not null,
      positions integer not null,
      open integer not null,
      days smallint not null,
      primary key (builder, days, wallet)
    ) with (fillfactor = 80)`
  yield* sql`create index builder_pnl_realized on builder_pnl (builder, days, realized, wallet)`
  yield* sql`create index builder_pnl_total on builder_pnl (builder, days, total, wallet)`
  yield* sql`
    create table builder_pnl_state (
      single boolean primary key default true check (single),
      version integer not null,
      block integer not null,
      at timestamptz not null)`
})
