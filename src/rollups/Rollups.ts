import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { bytesOfCondition, type ConditionId } from "#src/domain/ConditionId.ts"
import { bytesOfToken, type TokenId } from "#src/domain/TokenId.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { marketJoin, titleSql } from "#src/positions/positionSql.ts"
import type { LedgerTotals, TokenVolume } from "./model.ts"
import { tradesSql } from "./tradesSql.ts"

/** The market of a token or a condition; names are null while it is not listed. */
export interface RolledUpMarket {
  readonly condition: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
  readonly outcome: string | null
}

interface MarketRow extends AsOfRow {
  readonly id: number | null
  readonly condition: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
  readonly outcome: string | null
}

const marketColumns = `'0x' || encode(c.hash, 'hex') as condition, ${titleSql} as title, m.slug, m.image, m.outcomes ->> t.outcome as outcome`
const marketJoins = `left join condition c on c.id = t.condition ${marketJoin}`

const marketOf = ({ condition, title, slug, image, outcome }: MarketRow): RolledUpMarket => ({
  condition,
  title,
  slug,
  image,
  outcome,
})

/** Blocks that the rollups do not count yet; they are added on request, in the same statement. */
const uncounted = (sql: SqlClient) => ({
  from: sql`(
    select coalesce(p.to_block + 1, v.facts_from, c.started_from)
    from chain_cursor c left join rollup_progress p on true left join ledger_coverage v on true)`,
  to: sql`(select block from chain_cursor)`,
})

interface Answer<A> {
  readonly found: A | undefined
  readonly asOf: AsOf | undefined
}

/** Volumes, open interest and totals, which are kept up to date and not counted on request. */
export class Rollups extends Context.Service<
  Rollups,
  {
    /** Undefined for a token that the ledger does not know. */
    readonly volumeOf: (
      token: TokenId,
    ) => Effect.Effect<Answer<{ readonly volume: TokenVolume; readonly market: RolledUpMarket }>, SqlError>
    /** In 10⁻⁶ dollars. */
    readonly openInterestOf: (
      condition: ConditionId,
    ) => Effect.Effect<Answer<{ readonly openInterest: bigint; readonly market: RolledUpMarket }>, SqlError>
    /** Undefined until the leaderboards are built. */
    readonly totals: Effect.Effect<Answer<LedgerTotals>, SqlError>
  }
>()("presage/rollups/Rollups") {
  static readonly layer = Layer.effect(
    Rollups,
    Effect.map(Postgres, ({ sql }) =>
      Rollups.of({
        volumeOf: Effect.fn("Rollups.volumeOf")((token) => volumeOf(sql, token)),
        openInterestOf: Effect.fn("Rollups.openInterestOf")((condition) => openInterestOf(sql, condition)),
        totals: Effect.withSpan(totals(sql), "Rollups.totals"),
      }),
    ),
  )
}

interface VolumeRow extends MarketRow {
  readonly trades: number | null
  readonly buys: number | null
  readonly usd: bigint | null
  readonly buy_usd: bigint | null
}

const volumeOf = Effect.fnUntraced(function* (sql: SqlClient, token: string) {
  const { from, to } = uncounted(sql)
  const since = sql`(select extract(epoch from at)::int from block where number >= ${from} order by number limit 1)`
  const rest = sql`
    select f.* from fill f where f.block in (
      select g.block from fill g where g.token = t.id and g.at >= ${since} and g.block between ${from} and ${to})`
  const [row] = yield* sql<VolumeRow>`
    select head.*, t.id, ${sql.literal(marketColumns)}, v.*
    from (${sql.literal(asOfSql)}) head
    left join token t on t.hash = ${bytesOfToken(token)} ${sql.literal(marketJoins)}
    left join lateral (
      select coalesce(sum(trades), 0)::int as trades, coalesce(sum(buys), 0)::int as buys,
        coalesce(sum(usd), 0)::int8 as usd, coalesce(sum(buy_usd), 0)::int8 as buy_usd
      from (
        select trades, buys, usd, buy_usd from token_day d where d.token = t.id
        union all
        select 1, is_buy::int, usd, case when is_buy then usd else 0 end
        from (${tradesSql(sql, rest)}) x where x.token = t.id) parts) v on true`
  if (row === undefined || row.id === null) return { found: undefined, asOf: asOfIn(row) }
  const { trades, buys, usd, buy_usd } = row
  const volume = { trades: trades ?? 0, buys: buys ?? 0, usd: usd ?? 0n, buyUsd: buy_usd ?? 0n }
  return { found: { volume, market: marketOf(row) }, asOf: asOfIn(row) }
})

const openInterestOf = Effect.fnUntraced(function* (sql: SqlClient, condition: string) {
  const rest = shareChanges(sql, uncounted(sql))
  const [row] = yield* sql<MarketRow & { readonly most: bigint | null }>`
    with asked as materialized (select id from condition where hash = ${bytesOfCondition(condition)}),
    outcome as materialized (select id from token where condition = (select id from asked) and resolved_at is null),
    supply as (
      select sum(shares)::int8 as shares from (
        select u.token, u.shares from token_supply u join outcome o on o.id = u.token
        union all
        select x.token, x.shares from (${rest}) x join outcome o on o.id = x.token) parts
      group by token)
    select head.*, ${sql.literal(marketColumns)}, t.condition as id, (select max(shares) from supply) as most
    from (${sql.literal(asOfSql)}) head
    left join (select id as condition, null::int as outcome from asked) t on true ${sql.literal(marketJoins)}`
  if (row === undefined || row.id === null) return { found: undefined, asOf: asOfIn(row) }
  const most = row.most ?? 0n
  return { found: { openInterest: most > 0n ? most : 0n, market: marketOf(row) }, asOf: asOfIn(row) }
})

/** Sums over wallets and markets are as of the leaderboards' block, `sumsAt`. */
const totals = Effect.fnUntraced(function* (sql: SqlClient) {
  const { from, to } = uncounted(sql)
  const fills = sql`select * from fill where block between ${from} and ${to}`
  const [row] = yield* sql<AsOfRow & LedgerTotals>`
    select head.*, p.fills + (select count(*) from (${fills}) f) as fills, p.trades + rest.trades as trades,
      p.usd + rest.usd as usd,
      p.redemptions + (select count(*) from redemption where block between ${from} and ${to}) as redemptions,
      t.wallets, t.positions, t.realized, t.profit, t.open_interest as "openInterest", t.block as "sumsAt"
    from (${sql.literal(asOfSql)}) head cross join ledger_total t cross join rollup_progress p
    cross join (
      select count(*) as trades, coalesce(sum(usd), 0)::int8 as usd from (${tradesSql(sql, fills)}) x) rest`
  return { found: row, asOf: asOfIn(row) }
})
