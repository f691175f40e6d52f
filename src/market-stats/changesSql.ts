import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { tradesSql } from "#src/rollups/tradesSql.ts"
import { type Edges, movedBlocks } from "./edges.ts"
import { countColumns, windows } from "./model.ts"

/** The first block of each window, `all` last. */
const startsOf = ({ starts, from }: Edges) => [...starts, from]

/** 1 for a block that enters a window, -1 for one that leaves it. */
const signs = (before: Edges, after: Edges, block: string) =>
  windows.map((_, i) => {
    const within = (edges: Edges) => `(${block} between ${startsOf(edges)[i]} and ${edges.to})::int`
    return `(${within(after)} - ${within(before)})`
  })

/** Traders whose facts were dropped stay traders of all times. */
const isTrader = (edges: Edges, block: string) =>
  [...edges.starts, 0].map((start) => `(coalesce(${block}, -1) >= ${start})::int`)

const named = (name: string, values: ReadonlyArray<string>) =>
  values.map((value, i) => `${value} as ${name}_${windows[i]}`)
const zeros = windows.map(() => "0")

/** Fills of the blocks that enter or leave a window. */
const movedFills = (sql: SqlClient, before: Edges, after: Edges): Fragment => {
  const ranges = movedBlocks(before, after)
  if (ranges.length === 0) return sql`select * from fill where false`
  return sql.literal(
    ranges.map(({ from, to }) => `select * from fill where block between ${from} and ${to}`).join(" union all "),
  )
}

interface Changes {
  readonly before: Edges
  readonly after: Edges
  /** Fills of whole blocks; those that enter or leave a window by default. */
  readonly fills?: Fragment
  readonly withEvents: boolean
  /** On a token `k`. */
  readonly where?: Fragment
}

/**
 * Common table expressions: by how much the counts of each scope change between two states (`change`), and in which block
 * each of its wallets traded last among the blocks that are counted for the first time (`pair`).
 */
export const changesSql = (sql: SqlClient, { before, after, withEvents, ...rest }: Changes): Fragment => {
  const fills = rest.fills ?? movedFills(sql, before, after)
  const scopes = sql.literal(`(values (k.condition)${withEvents ? ", (-k.event)" : ""}) s(scope)`)
  const [entered, moved] = [signs(before, after, "f.block").at(-1) ?? "", signs(before, after, "t.block")]
  const [was, is] = [isTrader(before, "p.last_block"), isTrader(after, "greatest(p.last_block, p.seen)")]
  const ofTrades = [
    ...named(
      "usd",
      moved.map((sign) => `t.usd * ${sign}`),
    ),
    ...named("trades", moved),
    ...named("traders", zeros),
  ]
  const ofTraders = [
    ...named("usd", zeros),
    ...named("trades", zeros),
    ...named(
      "traders",
      is.map((now, i) => `${now} - ${was[i]}`),
    ),
  ]
  return sql`
    moved as materialized (${fills}),
    -- An array, and a subselect for each trader below, because a join would read all tokens and all traders.
    member as materialized (
      select k.id as token, s.scope from token k cross join lateral ${scopes}
      where k.id = any(array(select distinct token from moved)) and s.scope is not null and ${rest.where ?? sql`true`}),
    pair as materialized (
      select p.*, (select t.last_block from market_trader t where t.scope = p.scope and t.wallet = p.wallet) as last_block
      from (
        select k.scope, f.maker as wallet, max(f.block) filter (where ${sql.literal(entered)} > 0) as seen
        from moved f join member k using (token) where f.shares > 0 group by 1, 2) p),
    change as materialized (
      select scope, ${sql.literal(countColumns.map((column) => `total(${column}) as ${column}`).join(", "))}
      from (
        select k.scope, ${sql.literal(ofTrades.join(", "))}
        from (${tradesSql(sql, sql`select * from moved`)}) t join member k using (token)
        union all
        select p.scope, ${sql.literal(ofTraders.join(", "))} from pair p) parts
      group by scope)`
}
