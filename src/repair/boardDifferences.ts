import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { contributionsOf, sums } from "#src/leaderboards/all-time/count.ts"
import { asOf } from "#src/leaderboards/all-time/pastPositions.ts"
import { type CountedBlock, everything, rollingDays } from "#src/leaderboards/model.ts"
import { retracted } from "#src/leaderboards/retraction.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

interface Differences {
  readonly rows: number
  /** Rows that differ, are missing or should not exist. */
  readonly wrong: number
}

const rollingSums = ["realized", "profit", "wins", "losses", "events"]

const compare = (
  sql: SqlClient,
  table: string,
  key: ReadonlyArray<string>,
  values: ReadonlyArray<string>,
  expected: Fragment,
) => {
  const row = (name: string) => sql.literal(`(${values.map((value) => `${name}.${value}`).join(", ")})`)
  return Effect.map(
    sql<Differences>`
      select (select count(*) from ${sql(table)})::int as rows, count(*)::int as wrong
      from (${expected}) e full join ${sql(table)} s using (${sql.literal(key.join(", "))})
      where ${row("e")} is distinct from ${row("s")}`,
    ([found]): Differences => found ?? { rows: 0, wrong: 0 },
  )
}

const scoped = (sql: SqlClient) => sql`
  select token, scope from leaderboard_token union all select id, ${everything}::int4 from token`

/** Compares the rolling boards with the sums of realized events up to their block. */
export const rollingDifferences = (sql: SqlClient, { block, at }: CountedBlock) =>
  compare(
    sql,
    "leaderboard_rolling",
    ["scope", "days", "wallet"],
    rollingSums,
    sql`
      select x.scope, d.days, e.wallet, sum(e.amount)::int8 as realized, sum(greatest(e.amount, 0))::int8 as profit,
        (count(*) filter (where e.amount > 0))::int4 as wins, (count(*) filter (where e.amount < 0))::int4 as losses,
        count(*)::int4 as events
      from (
        select wallet, token, at, amount from realized_event where block <= ${block}
        union all select wallet, token, at, amount from leaderboard_retracted_event) e
      join unnest(${pgArray("int2", Object.values(rollingDays))}) d(days)
        on e.at > ${at}::timestamptz - d.days * interval '24 hours'
      join (${scoped(sql)}) x on x.token = e.token
      group by x.scope, d.days, e.wallet`,
  )

/** Positions as the all-time boards count them. */
const countedPositions = (sql: SqlClient, block: number): ReadonlyArray<Fragment> => [
  retracted(sql),
  asOf(
    sql,
    block,
    sql`
      select wallet, token from position p where not exists (
        select 1 from leaderboard_retracted_position n where n.wallet = p.wallet and n.token = p.token)`,
  ),
]

/** Compares the all-time boards with the sums of positions at their block. */
export const allTimeDifferences = (sql: SqlClient, { block }: CountedBlock) => {
  const counted = countedPositions(sql, block).map((positions) => contributionsOf(sql, positions, 1))
  const added = sums.map((name) => `sum(c.${name})::int8 as ${name}`).join(", ")
  return compare(
    sql,
    "leaderboard_standing",
    ["scope", "wallet"],
    sums,
    sql`
      select x.scope, c.wallet, ${sql.literal(added)}
      from (${sql.join(" union all ", false)(counted)}) c join (${scoped(sql)}) x on x.token = c.token
      group by x.scope, c.wallet`,
  )
}

/** Compares the open holdings that boards value with the positions at their block. */
export const holdingDifferences = (sql: SqlClient, { block }: CountedBlock) => {
  const open = countedPositions(sql, block).map(
    (positions) => sql`select p.token, p.wallet, p.shares, p.cost, p.realized from (${positions}) p where p.open`,
  )
  return compare(
    sql,
    "leaderboard_open",
    ["token", "wallet"],
    ["shares", "cost", "realized"],
    sql`${sql.join(" union all ", false)(open)}`,
  )
}
