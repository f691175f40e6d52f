import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { KeptScope, Period, ScopeRow, Snapshot, Sort } from "./BoardQuery.ts"
import { type CountedRows, packedRow, snapshotOf, sortColumns, stateColumns } from "./BoardRows.ts"
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

  const rolling = (scope: KeptScope, period: RollingPeriod, depth: number) => sql<CountedRows>`
    select ${state}, (
      select string_agg(${sql.literal(packedRow("t"))}, '' order by b.realized desc, b.address)
      from (
        select r.*, w.address
        from (
          select * from leaderboard_rolling
          where scope = ${numberOf(scope)} and days = ${rollingDays[period]}::smallint
          order by realized desc ${downTo(depth)}) r
        join wallet w on w.id = r.wallet
        order by r.realized desc, w.address limit ${depth}::int) b
      left join leaderboard_standing t on t.scope = b.scope and t.wallet = b.wallet) as rows
    from leaderboard_state s`

  const standings = (scope: KeptScope, sort: Sort, depth: number) => sql<CountedRows>`
    select ${state}, (
      select string_agg(${sql.literal(packedRow("b"))}, '' order by b.rank desc, b.address)
      from (
        select t.*, w.address
        from (
          select *, ${sql.literal(sortColumns[sort])} as rank from leaderboard_standing
          where scope = ${numberOf(scope)}
          order by rank desc ${downTo(depth)}) t
        join wallet w on w.id = t.wallet
        order by t.rank desc, w.address limit ${depth}::int) b) as rows
    from leaderboard_state s`

  return {
    state: Effect.map(reads<State>`select ${reads.literal(stateColumns)} from leaderboard_state s`, ([found]) => found),
    board: (scope: KeptScope, period: Period, sort: Sort, depth: number) =>
      Effect.map(period === "all" ? standings(scope, sort, depth) : rolling(scope, period, depth), snapshotOf),
    /** Whether the catalogue has or had it; it may have no trades. */
    isKnown: (scope: KeptScope) => {
      if (scope.kind === "everything") return Effect.succeed(true)
      const { kind, value } = scope
      const named =
        kind === "category"
          ? reads`exists (select from event where category = ${value})`
          : reads`exists (select from tag where slug = ${value}) or exists (select from event where tags ? ${value})`
      return Effect.map(
        reads<{ known: boolean }>`
          select exists (select from leaderboard_scope where kind = ${kind} and value = ${value}) or ${named} as known`,
        ([row]) => row?.known === true,
      )
    },
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
