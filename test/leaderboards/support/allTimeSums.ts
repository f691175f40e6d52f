import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

interface Row {
  readonly row: string
}

const text = (rows: ReadonlyArray<Row>) => rows.map(({ row }) => row)

/** Asserts that the all-time boards equal sums over positions and the catalogue, and know all open holdings. */
export const assertAllTimeSums = Effect.fnUntraced(function* (when: string) {
  const { sql } = yield* Postgres
  const expected = yield* sql<Row>`
    with listed as (
      select t.id as token, (
        select e from market m join event e on e.id = m.event where m.condition = t.condition order by m.id desc limit 1) as event
      from token t),
    scoped as (
      select 0 as scope, id as token from token
      union all
      select s.id, l.token from listed l join leaderboard_scope s on
        (s.kind = 'category' and s.value = (l.event).category) or (s.kind = 'tag' and (l.event).tags ? s.value)),
    valued as (
      select p.*, p.shares > 0 and not p.partial and not exists (
          select 1 from token t join resolution r on r.condition = t.condition where t.id = p.token) as open
      from position p)
    select concat_ws(' ', s.scope, v.wallet, sum(v.realized), sum(v.profit), sum(v.wins), sum(v.losses), count(*),
      count(*) filter (where v.open), sum(v.volume), count(*) filter (where v.partial),
      count(*) filter (where v.realized <> 0 and not v.open)) as row
    from valued v join scoped s using (token)
    group by s.scope, v.wallet
    union all
    select concat_ws(' ', 'holds', v.wallet, v.token, v.shares, v.cost, v.realized) from valued v where v.open`
  const stored = yield* sql<Row>`
    select concat_ws(' ', scope, wallet, realized, profit, wins, losses, positions, open, volume, partial, gained) as row
    from leaderboard_standing
    union all
    select concat_ws(' ', 'holds', wallet, token, shares, cost, realized) from leaderboard_open`
  const missing = new Set(text(expected))
  const surplus = text(stored).filter((row) => !missing.delete(row))
  assert.deepStrictEqual(
    { surplus: surplus.slice(0, 3), missing: [...missing].slice(0, 3) },
    { surplus: [], missing: [] },
    when,
  )
})

/** Asserts that open positions are valued at the newest trades' prices. */
export const assertNewestPrices = Effect.fnUntraced(function* (when: string) {
  const { sql } = yield* Postgres
  const differing = yield* sql`
    select t.id, lp.price, newest.price as newest from token t
    left join leaderboard_price lp on lp.token = t.id
    cross join lateral (
      select coalesce(
        (select floor(usd::numeric * 1000000 / shares + 0.5) from fill where token = t.id
          order by block desc, log_index desc limit 1),
        (select (prices ->> t.outcome)::numeric from market m where m.condition = t.condition order by m.id desc limit 1)) as price) newest
    where exists (select 1 from position p where p.token = t.id and p.shares > 0)
      and not exists (select 1 from resolution r where r.condition = t.condition)
      and lp.price is distinct from newest.price`
  assert.deepStrictEqual(differing.slice(0, 3), [], when)
})
