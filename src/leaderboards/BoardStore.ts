import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { unrealizedOf } from "./all-time/holdings.ts"
import type { KeptScope, Ranking, ScopeRow, Snapshot, Sort } from "./BoardQuery.ts"
import { type CountedRows, packedRow, snapshotOf, sortColumns, stateColumns, valueSorts } from "./BoardRows.ts"
import { everything, type RollingPeriod, rollingDays, type ScopeKind } from "./model.ts"

interface State {
  readonly version: number
  readonly at: number
}

/**
 * Reads the stored boards. Each board is one statement that also returns its version, so it never mixes two. Boards are
 * large, so they do not use the pool of short reads.
 */
export const boardStore = ({ sql, reads }: Postgres["Service"]) => {
  const state = sql.literal(stateColumns)

  const numberOf = (scope: KeptScope) =>
    scope.kind === "everything"
      ? sql.literal(String(everything))
      : sql`(select id from leaderboard_scope where kind = ${scope.kind} and value = ${scope.value})`

  /** Addresses break ties, and are read only for tied wallets. */
  const downTo = (depth: number) => sql.literal(`fetch first ${depth} rows with ties`)

  const inScope = (scope: KeptScope) =>
    scope.kind === "everything"
      ? sql`true`
      : sql`exists (select from leaderboard_token l where l.token = o.token and l.scope = ${numberOf(scope)})`
  /** Value of what the wallets on the board hold in its scope. */
  const valueOfRanked = (scope: KeptScope) =>
    unrealizedOf(sql, sql`o.wallet in (select wallet from ranked) and ${inScope(scope)}`)

  const withoutPartial = sql`
    not exists (select from leaderboard_standing p where p.scope = r.scope and p.wallet = r.wallet and p.partial > 0)`

  const rolling = (scope: KeptScope, period: RollingPeriod, withPartial: boolean, depth: number) => sql<CountedRows>`
    with ranked as materialized (
      select r.*, w.address
      from (
        select r.* from leaderboard_rolling r
        where r.scope = ${numberOf(scope)} and r.days = ${rollingDays[period]}::smallint
          ${withPartial ? sql`` : sql`and ${withoutPartial}`}
        order by r.realized desc ${downTo(depth)}) r
      join wallet w on w.id = r.wallet
      order by r.realized desc, w.address limit ${depth}::int),
    value as materialized (${valueOfRanked(scope)})
    select ${state}, (
      select string_agg(${sql.literal(packedRow("t", "v"))}, '' order by b.realized desc, b.address)
      from ranked b
      left join leaderboard_standing t on t.scope = b.scope and t.wallet = b.wallet
      left join value v on v.wallet = b.wallet) as rows
    from leaderboard_state s`

  const standings = (scope: KeptScope, sort: Sort, withPartial: boolean, depth: number) => {
    const rank = sql.literal(sortColumns[sort])
    const standing = valueSorts.has(sort)
      ? sql`
          select t.*, coalesce(u.unrealized, 0) as unrealized from leaderboard_standing t
          left join (${unrealizedOf(sql, inScope(scope))}) u on u.wallet = t.wallet`
      : sql`select * from leaderboard_standing t`
    return sql<CountedRows>`
      with ranked as materialized (
        select t.*, w.address
        from (
          select *, ${rank} as rank from (
            ${standing} where t.scope = ${numberOf(scope)} ${withPartial ? sql`` : sql`and t.partial = 0`}) t
          order by rank desc ${downTo(depth)}) t
        join wallet w on w.id = t.wallet
        order by t.rank desc, w.address limit ${depth}::int),
      value as materialized (${valueSorts.has(sort) ? sql`select wallet, unrealized from ranked` : valueOfRanked(scope)})
      select ${state}, (
        select string_agg(${sql.literal(packedRow("b", "v"))}, '' order by b.rank desc, b.address)
        from ranked b left join value v on v.wallet = b.wallet) as rows
      from leaderboard_state s`
  }

  return {
    state: Effect.map(reads<State>`select ${reads.literal(stateColumns)} from leaderboard_state s`, ([found]) => found),
    board: (scope: KeptScope, { period, sort, withPartial }: Ranking, depth: number) =>
      Effect.map(
        period === "all" ? standings(scope, sort, withPartial, depth) : rolling(scope, period, withPartial, depth),
        snapshotOf,
      ),
    /** Whether a category or tag had a board once; the catalogue may no longer have it. */
    hadBoard: ({ kind, value }: Exclude<KeptScope, { readonly kind: "everything" }>) =>
      Effect.map(
        reads`select from leaderboard_scope where kind = ${kind} and value = ${value}`,
        ({ length }) => length > 0,
      ),
    /** Scopes with realized P&L, most wallets first. */
    scopes: (kind: ScopeKind, period: RollingPeriod) =>
      Effect.map(
        sql<State & { value: string | null; wallets: number }>`
          select ${state}, c.value, c.wallets
          from leaderboard_state s
          left join lateral (
            select l.value, n.wallets from leaderboard_count n join leaderboard_scope l on l.id = n.scope
            where n.days = ${rollingDays[period]}::smallint and l.kind = ${kind} and n.wallets > 0) c on true
          order by c.wallets desc, c.value collate "C"`,
        (rows): Snapshot<ReadonlyArray<ScopeRow>> | undefined => {
          const [first] = rows
          return (
            first && {
              version: first.version,
              at: first.at,
              rows: rows.flatMap(({ value, wallets }) => (value === null ? [] : [{ value, wallets }])),
            }
          )
        },
      ),
  }
}
