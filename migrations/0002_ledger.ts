import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What happened on the chain. Wallets, tokens and conditions are small numbers; amounts are whole numbers of 10⁻⁶. A
 * fact is found by (block, log_index), which is also what events refer to.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`create table wallet (id integer generated always as identity primary key, address bytea not null unique)`
  yield* sql`create table condition (id integer generated always as identity primary key, hash bytea not null unique)`
  yield* sql`
    create table token (
      id integer generated always as identity primary key,
      hash bytea not null unique,
      condition integer references condition,
      outcome smallint
    )`
  yield* sql`create index token_condition on token (condition)`
  yield* sql`create table builder (id integer generated always as identity primary key, code bytea not null unique)`

  yield* sql`
    create table block (
      number integer primary key,
      hash bytea not null,
      parent bytea,
      at timestamptz not null,
      logs integer not null
    )`
  yield* sql`
    create table chain_cursor (
      name text primary key,
      block integer not null,
      hash bytea not null,
      started_from integer not null,
      head integer not null,
      caught_up_at timestamptz,
      updated_at timestamptz not null default now()
    )`

  // By month of the block. The primary key needs the time because the partitions are cut by it.
  yield* sql`
    create table fill (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      order_hash bytea not null,
      maker integer not null,
      taker integer,
      exchange smallint not null,
      side smallint not null,
      token integer not null,
      shares bigint not null,
      usd bigint not null,
      fee bigint not null,
      fee_in_shares boolean not null,
      builder integer,
      primary key (block, log_index, at)
    ) partition by range (at)`
  yield* sql`create index fill_maker on fill (maker, at desc, log_index desc)`
  yield* sql`create index fill_token on fill (token, at desc, log_index desc)`
  yield* sql`create index fill_builder on fill (builder, at desc) where builder is not null`
  yield* sql`create index fill_order on fill using hash (order_hash)`
  yield* sql`create index fill_at on fill using brin (at)`

  const place = sql.literal(`
    block integer not null,
    log_index integer not null,
    at timestamptz not null,
    tx bytea not null`)
  const key = sql.literal("primary key (block, log_index)")
  yield* sql`create table split (${place}, wallet integer not null, condition integer not null, amount bigint not null, ${key})`
  yield* sql`create table merge (${place}, wallet integer not null, condition integer not null, amount bigint not null, ${key})`
  yield* sql`
    create table redemption (
      ${place}, wallet integer not null, condition integer not null, tokens integer[] not null, shares bigint[] not null,
      payout bigint not null, ${key})`
  yield* sql`
    create table conversion (
      ${place}, wallet integer not null, neg_risk_market bytea not null, nos integer[] not null, yeses integer[] not null,
      amount bigint not null, paid bigint not null, ${key})`
  yield* sql`
    create table transfer (
      ${place}, sub integer not null, sender integer not null, receiver integer not null, token integer not null,
      shares bigint not null, primary key (block, log_index, sub))`
  yield* sql`
    create table fee_refund (
      ${place}, wallet integer not null, token integer not null, in_shares boolean not null, amount bigint not null,
      order_hash bytea not null, ${key})`
  yield* sql`
    create table collateral_flow (${place}, wallet integer not null, amount bigint not null, ${key})`
  yield* sql`
    create table resolution (
      ${place}, condition integer not null unique, payouts bigint[] not null, ${key})`
  for (const table of ["split", "merge", "redemption", "conversion", "fee_refund", "collateral_flow"]) {
    yield* sql`create index ${sql(`${table}_wallet`)} on ${sql(table)} (wallet, at desc)`
  }
  for (const table of ["split", "merge", "redemption"]) {
    yield* sql`create index ${sql(`${table}_condition`)} on ${sql(table)} (condition)`
  }
  yield* sql`create index transfer_sender on transfer (sender, at desc)`
  yield* sql`create index transfer_receiver on transfer (receiver, at desc)`

  // Cost is one total per wallet and token; what was realized is dated in realized_event.
  yield* sql`
    create table position (
      wallet integer not null,
      token integer not null,
      shares bigint not null,
      cost bigint not null,
      realized bigint not null,
      bought bigint not null,
      sold bigint not null,
      redeemed boolean not null,
      changed_at timestamptz not null,
      primary key (wallet, token)
    ) with (fillfactor = 80)`
  yield* sql`create index position_holders on position (token) where shares <> 0`
  yield* sql`
    create table realized_event (
      block integer not null,
      log_index integer not null,
      sub integer not null,
      at timestamptz not null,
      wallet integer not null,
      token integer not null,
      kind smallint not null,
      amount bigint not null,
      primary key (block, log_index, sub)
    )`
  yield* sql`create index realized_event_wallet on realized_event (wallet, at desc)`
  yield* sql`create index realized_event_at on realized_event using brin (at)`

  // How a position was before a block that may still be replaced; nothing where it was not there.
  yield* sql`
    create table position_undo (
      block integer not null,
      wallet integer not null,
      token integer not null,
      shares bigint,
      cost bigint,
      realized bigint,
      bought bigint,
      sold bigint,
      redeemed boolean,
      changed_at timestamptz,
      primary key (block, wallet, token)
    )`
})
