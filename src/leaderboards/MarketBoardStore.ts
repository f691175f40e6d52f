import { Effect } from "effect"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { isComboSql } from "#src/feed/combos/positionId.ts"
import { worthSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { uncovered } from "./all-time/pastPositions.ts"
import type { MarketScope, Ranking, Sort } from "./BoardQuery.ts"
import { type CountedRows, packedRow, snapshotOf, sortColumns, stateColumns } from "./BoardRows.ts"
import { rollingDays } from "./model.ts"

interface Token {
  readonly id: number | null
}

/** Boards of markets and events. They are not stored but computed from the ledger as of the boards' block. */
export const marketBoardStore = ({ sql, reads }: Postgres["Service"]) => {
  const state = sql.literal(stateColumns)

  /** The tokens of an existing market, which may have none yet. */
  const tokensOf = ({ kind, value }: MarketScope) => {
    const rows = {
      market: () => reads<Token>`
        select t.id from market m left join token t on t.condition = m.condition where m.slug = ${value}`,
      event: () => reads<Token>`
        select t.id from event e left join market m on m.event = e.id left join token t on t.condition = m.condition
        where e.slug = ${value}`,
      condition: () => reads<Token>`
        select t.id from condition c left join token t on t.condition = c.id where c.hash = ${bytesOfCondition(value)}`,
      token: () => reads<Token>`
        select o.id from token t join token o on o.id = t.id or o.condition = t.condition where t.hash = ${bytesOfToken(value)}`,
    }[kind]()
    return Effect.map(rows, (found) => (found.length === 0 ? undefined : found.flatMap(({ id }) => id ?? [])))
  }

  const unknown = uncovered(sql, sql`(select block from leaderboard_state)`, sql`(select block from chain_cursor)`)
  const worth = sql.literal(worthSql("h.shares", "t.price"))
  // As in all-time/pastPositions.ts.
  const isOpen = sql.literal("h.shares > 0 and not h.partial and not t.resolved")
  const figures = sql.literal("wallet, token, shares, cost, partial, realized, profit, wins, losses, volume")
  /**
   * Positions in some tokens as of the boards' block. The position table may be slightly ahead; undo records restore
   * positions that changed since. Once those are gone, there is no `state`.
   */
  const positionsAt = (tokens: ReadonlyArray<number>) => {
    const ids = pgArray("int4", tokens)
    return sql`
      state as materialized (select * from leaderboard_state where not exists (${unknown})),
      traded as materialized (
        select t.id, p.price, exists (select from resolution r where r.condition = t.condition and r.block <= s.block) as resolved
        from state s cross join token t left join leaderboard_price p on p.token = t.id where t.id = any(${ids})),
      earlier as materialized (
        select distinct on (u.wallet, u.token) u.*
        from state s join position_undo u on u.block > s.block
        where u.token = any(${ids}) order by u.wallet, u.token, u.block),
      held as (
        select ${figures} from position p where token = any(${ids})
          and not exists (select from earlier e where e.wallet = p.wallet and e.token = p.token)
        union all
        select ${figures} from earlier where shares is not null),
      standing as materialized (
        select h.wallet, sum(h.realized) as realized, sum(h.profit) as profit, sum(h.wins) as wins,
          sum(h.losses) as losses, sum(h.volume) as volume, count(*) as positions,
          count(*) filter (where ${isOpen}) as open,
          coalesce(sum(${worth} - h.cost) filter (where ${isOpen}), 0) as unrealized,
          count(*) filter (where h.partial) as partial
        from held h join traded t on t.id = h.token group by h.wallet)`
  }

  const rolling = (
    tokens: ReadonlyArray<number>,
    days: number,
    withPartial: boolean,
    depth: number,
  ) => sql<CountedRows>`
    with ${positionsAt(tokens)},
      ranked as (
        select e.wallet, sum(e.amount) as realized, coalesce(sum(e.amount) filter (where e.amount > 0), 0) as profit,
          count(*) filter (where e.amount > 0) as wins, count(*) filter (where e.amount < 0) as losses
        from state s join realized_event e on e.token = any(${pgArray("int4", tokens)}) and e.block <= s.block
          and e.at <= s.at and e.at > s.at - make_interval(days => ${days}::int)
        group by e.wallet)
    select ${state}, (
      select string_agg(${sql.literal(packedRow("t", "t"))}, '' order by b.realized desc, b.address)
      from (
        select r.*, w.address from ranked r join wallet w on w.id = r.wallet
        ${withPartial ? sql`` : sql`where not exists (select from standing p where p.wallet = r.wallet and p.partial > 0)`}
        order by r.realized desc, w.address limit ${depth}::int) b
      left join standing t on t.wallet = b.wallet) as rows
    from state s`

  const standings = (
    tokens: ReadonlyArray<number>,
    sort: Sort,
    withPartial: boolean,
    depth: number,
  ) => sql<CountedRows>`
    with ${positionsAt(tokens)}
    select ${state}, (
      select string_agg(${sql.literal(packedRow("b", "b"))}, '' order by b.rank desc, b.address)
      from (
        select t.*, w.address, ${sql.literal(sortColumns[sort])} as rank
        from standing t join wallet w on w.id = t.wallet ${withPartial ? sql`` : sql`where t.partial = 0`}
        order by rank desc, w.address limit ${depth}::int) b) as rows
    from state s`

  return {
    tokensOf,
    /** The tokens of all combos. */
    combos: Effect.map(
      reads<{ id: number }>`select t.id from token t where ${reads.literal(isComboSql("t"))}`,
      (rows) => rows.map(({ id }) => id),
    ),
    /** Undefined while the ledger is too far ahead to restore the boards' block. */
    board: (tokens: ReadonlyArray<number>, { period, sort, withPartial }: Ranking, depth: number) =>
      Effect.map(
        period === "all"
          ? standings(tokens, sort, withPartial, depth)
          : rolling(tokens, rollingDays[period], withPartial, depth),
        snapshotOf,
      ),
  }
}
