import type { ClosedQuery, ClosedSort } from "./closedQuery.ts"

/** How much a shortcut may read. */
export interface ShortcutBounds {
  /** Positions of a wallet that is worth a shortcut. */
  readonly positions: number
  /** What is walked for each position that is wanted, and in addition. */
  readonly walked: (wanted: number) => number
  /** Positions of a page and of those before it. */
  readonly wanted: number
}

export const shortcutBounds: ShortcutBounds = {
  positions: 10_000,
  walked: (wanted) => 1_000 + 8 * wanted,
  wanted: 1_000,
}

/**
 * Finds the first closed positions of a wallet with many of them without reading all. Tokens are walked in an order that an
 * index has, up to a bound. Positions of them that precede everything behind the walk are certain to be first. If those are
 * too few, all positions are read.
 */
export interface Shortcut {
  /** SQL for the walk: tokens `t` of at most `count` conditions, and their `edge`, of which `wallet` may have positions. */
  readonly walk: (wallet: number, count: number) => string
  /** SQL condition on a position `p` of a walked token `t`. */
  readonly where: string
  /** SQL condition on `sort` of a position that was found: nothing behind the walk precedes it. */
  readonly isCertain: string
  /** SQL condition on a closed position `p` and its token `t` that no walk has; an index finds those few. */
  readonly beside: string
}

const columns = "t.id, t.condition, t.outcome, t.payout, t.resolved_at"
/** The first tokens of open conditions are found by an index on these. */
const ofOpenTokens = "p.shares <= 0 and t.resolved_at is null"

/** No position closes after its token was resolved. */
const newest: Shortcut = {
  walk: (_wallet, count) => `
    select ${columns}, t.resolved_at as edge from token t where t.resolved_at is not null
    order by t.resolved_at desc limit ${count}`,
  where: "true",
  isCertain: "sort > (select min(edge) from walked)",
  beside: ofOpenTokens,
}

/** Nothing pays more than 1 or less than 0, which is what most outcomes pay; ties are in the order of tokens. */
const byPayout = (payout: number): Shortcut => ({
  walk: (wallet, count) => `
    select ${columns}, t.id as edge
    from (select token from position where wallet = ${wallet} order by token limit ${count}) held
    join token t on t.id = held.token`,
  where: `t.payout = ${payout}`,
  isCertain: "true",
  beside: ofOpenTokens,
})

/** As the index on titles has it: indexes cannot have long texts, and titles of combos may be long. */
export const titleKeySql = `left(coalesce(c.title, ''), 500) collate "C"`

/** Conditions that are looked at for each that has tokens: many have no title yet, and those without a trade no tokens. */
const untraded = 8

const byTitle = (direction: ClosedQuery["direction"]): Shortcut => ({
  walk: (_wallet, count) => `
    select ${columns}, c.edge
    from (
      select c.id, c.edge
      from (select c.id, ${titleKeySql} as edge from condition c order by edge ${direction} limit ${untraded * count}) c
      where exists (select from token t where t.condition = c.id)
      order by c.edge ${direction} limit ${count}) c
    join token t on t.condition = c.id`,
  where: "true",
  isCertain: direction === "ASC" ? "sort < (select max(edge) from walked)" : "sort > (select min(edge) from walked)",
  beside: "t.condition is null",
})

const shortcuts: Partial<Record<`${ClosedSort} ${ClosedQuery["direction"]}`, Shortcut>> = {
  "TIMESTAMP DESC": newest,
  "PRICE DESC": byPayout(1_000_000),
  "PRICE ASC": byPayout(0),
  "TITLE ASC": byTitle("ASC"),
  "TITLE DESC": byTitle("DESC"),
}

/** Filters leave too few positions, and pages far back are read sooner with all others. */
export const shortcutFor = (query: ClosedQuery, { wanted }: ShortcutBounds): Shortcut | undefined => {
  const { sortBy, direction, limit, offset, market, title } = query
  const isFiltered = market !== undefined || title !== undefined
  return isFiltered || limit + offset > wanted ? undefined : shortcuts[`${sortBy} ${direction}`]
}
