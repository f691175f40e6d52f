import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Bars of tokens on days with many trades, which would take long to read one by one. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // `at` is the first second of a bar, `seconds` its length; the other columns are those of token_day.
  yield* sql`
    create table token_bar (
      shares bigint not null,
      usd bigint not null,
      buy_usd bigint not null,
      first bigint not null,
      last bigint not null,
      token integer not null,
      at integer not null,
      trades integer not null,
      buys integer not null,
      open integer not null,
      high integer not null,
      low integer not null,
      close integer not null,
      seconds smallint not null,
      primary key (token, seconds, at)
    ) with (fillfactor = 80)`
  // Bars are counted together with days, so both are counted again. Days of facts that were dropped stay.
  yield* sql`delete from rollup_progress`
  yield* sql`
    delete from token_day where day >= coalesce((
      select extract(epoch from b.at)::int / 86400 from ledger_coverage v
      join block b on b.number >= v.dropped_before order by b.number limit 1), 0)`
  yield* sql`delete from token_supply`
  yield* sql`insert into token_supply select token, total(shares) from position_base group by token`
})
