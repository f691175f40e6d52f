import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { daysOf, usersOf } from "#src/builders/CountStore.ts"
import { addedFigures, attributedSql, fillsIn, sums } from "#src/builders/routedSql.ts"
import { windowUsers } from "#src/builders/WindowStore.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { check, type VerifySnapshot } from "./Check.ts"

const figures = [...sums, "first_at", "last_at", "users"]
const usage = ["usd", "fees", "fills"]
const of = (alias: string, names: ReadonlyArray<string>) => names.map((name) => `${alias}.${name}`).join(", ")

/** How many rows of one side the other has not, or has otherwise. */
const differences = (
  sql: SqlClient,
  [expected, stored]: readonly [Fragment, Fragment],
  key: string,
  compared: ReadonlyArray<string>,
) =>
  Effect.map(
    sql<{ n: number }>`
      select count(*)::int as n from (${expected}) e full join (${stored}) s using (${sql.literal(key)})
      where (${sql.literal(of("e", compared))}) is distinct from (${sql.literal(of("s", compared))})`,
    ([row]) => row?.n ?? 0,
  )

const attributedIn = (sql: SqlClient, range: BlockRange): Fragment => sql`(${attributedSql(sql, fillsIn(sql, range))})`

const daysWithUsers = (sql: SqlClient, range: BlockRange): Fragment => sql`
  select d.*, coalesce(u.users, 0) as users from (${daysOf(sql, attributedIn(sql, range))}) d
  left join (
    select builder, day, count(distinct wallet)::int as users
    from ${attributedIn(sql, range)} f where builder <> 0 group by builder, day) u using (builder, day)`

/** Sums of builders against the fills that they were counted from, and against each other. */
export const checkBuilders = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  const [counted] = yield* sql<BlockRange & { whole: boolean }>`
    select greatest(from_block, dropped_before) as from, to_block as to,
      from_block >= coalesce(dropped_before, 0) as whole
    from builder_progress left join ledger_coverage on true`
  if (counted === undefined) return check("builders", 0, "nothing is counted yet", "")
  const days = yield* differences(
    sql,
    [
      daysWithUsers(sql, counted),
      sql`
        select * from builder_day where day >= coalesce((
          select extract(epoch from at)::int / 86400 from block where number >= ${counted.from} order by number limit 1), 0)`,
    ],
    "builder, day",
    figures,
  )
  const totals = yield* differences(
    sql,
    [
      sql`
        select t.*, coalesce(u.users, 0) as users
        from (select ${sql.literal(addedFigures)}, builder from builder_day group by builder) t
        left join (select builder, count(*)::int as users from builder_user group by builder) u using (builder)`,
      sql`select * from builder_total`,
    ],
    "builder",
    figures,
  )
  // The users of facts that were dropped stay.
  const users = counted.whole
    ? yield* differences(
        sql,
        [usersOf(sql, attributedIn(sql, counted)), sql`select * from builder_user`],
        "builder, wallet",
        [...usage, "first_at", "last_at"],
      )
    : 0
  let windows = 0
  for (const { days, ...range } of yield* sql<BlockRange & { days: number }>`
    select days, from_block as from, to_block as to from builder_window_progress where from_block >= ${counted.from}`) {
    const stored = sql`select * from builder_window where days = ${days}::smallint`
    windows += yield* differences(sql, [windowUsers(sql, range), stored], "builder, wallet", usage)
  }
  return check(
    "builders",
    days + totals + users + windows,
    "volumes, fees and users of builders equal those of the fills",
    `${days} days of builders, ${totals} totals, ${users} users and ${windows} users of the last days differ from the fills`,
  )
})
