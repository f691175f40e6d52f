import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What fills and other facts add up to. Blocks that may still be replaced are not counted, so that a reorganisation changes
 * nothing here; queries add them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Prices are whole numbers of 10⁻⁶. `first` and `last` say where the trades are: block * 1000000 + log index.
  yield* sql`
    create table token_day (
      shares bigint not null,
      usd bigint not null,
      buy_usd bigint not null,
      first bigint not null,
      last bigint not null,
      token integer not null,
      day integer not null,
      trades integer not null,
      buys integer not null,
      open integer not null,
      high integer not null,
      low integer not null,
      close integer not null,
      primary key (token, day)
    ) with (fillfactor = 80)`
  yield* sql`create table token_supply (token integer primary key, shares bigint not null) with (fillfactor = 80)`
  // The counted blocks, and their facts.
  yield* sql`
    create table rollup_progress (
      single boolean primary key default true check (single),
      from_block integer not null,
      to_block integer not null,
      fills bigint not null default 0,
      trades bigint not null default 0,
      usd bigint not null default 0,
      redemptions bigint not null default 0
    )`
  // Sums over all wallets and markets, too many to add up on request.
  yield* sql`
    create table ledger_total (
      single boolean primary key default true check (single),
      block integer not null,
      wallets bigint not null,
      positions bigint not null,
      realized bigint not null,
      profit bigint not null,
      open_interest bigint not null
    )`
})
