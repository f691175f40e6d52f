import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What a wallet paid for a token, traded of it and won or lost with it, so that nobody has to add up its history. For
 * positions that are there already this is worked out as far as statements can; `presage rebuild positions` does the rest.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    alter table position
      add column paid bigint not null default 0,
      add column volume bigint not null default 0,
      add column profit bigint not null default 0,
      add column wins integer not null default 0,
      add column losses integer not null default 0,
      add column traded_at timestamptz`
  yield* sql`
    alter table position_undo
      add column paid bigint,
      add column volume bigint,
      add column profit bigint,
      add column wins integer,
      add column losses integer,
      add column traded_at timestamptz`
  yield* sql`
    update position p set volume = f.volume, paid = f.paid, traded_at = f.traded_at
    from (
      select maker, token, sum(usd) as volume, coalesce(sum(usd) filter (where side = 0), 0) as paid, max(at) as traded_at
      from fill group by maker, token) f
    where p.wallet = f.maker and p.token = f.token`
  yield* sql`
    update position p set profit = r.profit, wins = r.wins, losses = r.losses
    from (
      select wallet, token, coalesce(sum(amount) filter (where amount > 0), 0) as profit,
        count(*) filter (where amount > 0) as wins, count(*) filter (where amount < 0) as losses
      from realized_event group by wallet, token) r
    where p.wallet = r.wallet and p.token = r.token`
  yield* sql`
    update position_undo u set paid = p.paid, volume = p.volume, profit = p.profit, wins = p.wins, losses = p.losses,
      traded_at = p.traded_at
    from position p where u.shares is not null and p.wallet = u.wallet and p.token = u.token`

  // Windows of time, and the markets that somebody asks for, are looked up in them.
  yield* sql`drop index if exists realized_event_at`
  yield* sql`create index realized_event_at on realized_event (at)`
  yield* sql`create index realized_event_token on realized_event (token, at)`

  // Holders are read page by page. Neither column ever changes, so rows are still updated in place.
  yield* sql`drop index position_holders`
  yield* sql`create index position_holders on position (token, wallet)`
})
