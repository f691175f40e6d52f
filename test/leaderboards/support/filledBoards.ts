import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export const wallets = 1_205
export const manyTags = 10_150
export const asOf = 1_794_700_800

/** Inserts boards with many equal values, and addresses that are not in the order of their ids. */
export const fillBoards = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`
    insert into wallet (address) select decode(md5(n::text) || substr(md5(n || 'x'), 1, 8), 'hex') from generate_series(1, ${wallets}::int) n`
  yield* sql`insert into leaderboard_scope (kind, value) values ('tag', 'crypto'), ('category', 'Sports'), ('category', '100%_\\Él'), ('category', 'thin')`
  yield* sql`insert into leaderboard_scope (kind, value) select 'tag', 'T-' || to_char(n, 'FM00000') from generate_series(1, ${manyTags}::int) n`
  yield* sql`
    insert into leaderboard_rolling (scope, days, wallet, realized, profit, wins, losses, events)
    select s.id, d.days, n, (n % 50 - 20) * d.days * 1000003, greatest(n % 50 - 20, 0) * d.days * 1000003 + 7, n % 3, n % 2, 5
    from (select 0 as id union all select id from leaderboard_scope where value in ('crypto', 'Sports')) s
    cross join (values (1::smallint), (7), (30)) d(days) cross join generate_series(1, ${wallets}::int) n
    where d.days > 1 or n % 2 = 0`
  yield* sql`
    insert into leaderboard_standing (scope, wallet, realized, profit, wins, losses, positions, open, volume)
    select s.id, n, (n % 70 - 30) * 5000001, greatest(n % 70 - 30, 0) * 5000001 + n % 5, n % 11, n % 13, n % 17, n % 4, n * 1000000
    from (select 0 as id union all select id from leaderboard_scope where value in ('crypto', 'Sports')) s
    cross join generate_series(1, ${wallets}::int) n`
  // Worth nothing, so that the cost alone is what a wallet lost or, below zero, gained.
  yield* sql`insert into leaderboard_price (token, price) values (1, 0)`
  yield* sql`insert into leaderboard_token (token, scope) select 1, id from leaderboard_scope where value in ('crypto', 'Sports')`
  yield* sql`
    insert into leaderboard_open (token, wallet, shares, cost)
    select 1, n, 1000000, (9 - n % 19) * 100001 from generate_series(1, ${wallets}::int) n`
  yield* sql`
    insert into leaderboard_count (scope, days, wallets)
    select scope, days, count(*) from leaderboard_rolling where scope > 0 group by scope, days`
  yield* sql`
    insert into leaderboard_count (scope, days, wallets)
    select id, 7, case when kind = 'tag' then 1 + id % 90 else id % 2 * 3 end from leaderboard_scope where value not in ('crypto', 'Sports')`
  yield* sql`insert into tag (id, slug, label) values (1, 'silent', 'Silent')`
  yield* sql`
    insert into event (id, slug, title, category, tags, active, closed, archived, featured, neg_risk)
    values (1, 'quiet-event', 'Quiet', 'Quiet', '["hushed"]', true, false, false, false, false)`
  yield* sql`
    insert into leaderboard_state (block, at, version) values (100, to_timestamp(${asOf}), 1)`
})
