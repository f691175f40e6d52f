import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { secondFrom } from "#src/dictionary/factSql.ts"
import { usdcOf } from "#src/domain/amounts.ts"
import type { Filters } from "../model.ts"
import { bytesOfTokens, hashBytes } from "./hashBytes.ts"
import { movesOf } from "./positionStatusChange/HoldingStore.ts"

/** Facts whose filters are also conditions in SQL, so that days of them can be counted. */
export const countedKinds = ["fill", "split", "merge", "redemption", "conversion", "fee_charge"] as const
export type CountedKind = (typeof countedKinds)[number]

/** Blocks from the first to the last, and when the first was made. */
export interface BlockRange {
  readonly first: number
  readonly last: number
  readonly since: Date
}

export interface FactPlace {
  readonly kind: CountedKind
  readonly block: number
  readonly log_index: number
}

const chainKinds = [...countedKinds, "transfer", "resolution", "block"].map((kind) => `'${kind}'`).join(", ")

/** The blocks up to `last` that the log mentions after an entry; undefined if there are none. */
export const blocksAfter = (sql: SqlClient, seq: bigint, last: number) =>
  Effect.map(
    sql<{ first: number; since: Date | null }>`
      select e.first, (select b.at from block b where b.number <= e.first order by b.number desc limit 1) as since
      from (
        select ref::int as first from event_log where seq > ${seq} and kind in (${sql.literal(chainKinds)})
        order by seq limit 1) e`,
    ([row]): BlockRange | undefined => row && { first: row.first, last, since: row.since ?? new Date(0) },
  )

const noBuilder = "0".repeat(64)

const walletsOf = (sql: SqlClient, column: string, addresses: ReadonlyArray<string> | undefined) =>
  addresses === undefined || addresses.length === 0
    ? []
    : [sql`${sql.literal(column)} in (select id from wallet where address = any(${hashBytes(addresses)}))`]

/** Tokens of the filtered markets; a condition that was listed twice uses its newest market. */
const tokensOf = (sql: SqlClient, filters: Filters): ReadonlyArray<Fragment> => {
  const { token_ids = [], condition_ids = [], event_slugs = [], tags = [] } = filters
  const listed = (wanted: Fragment) => sql`
    f.token in (
      select t.id from token t join market m on m.condition = t.condition join event e on e.id = m.event
      where ${wanted} and not exists (select 1 from market n where n.condition = m.condition and n.id > m.id))`
  return [
    ...(token_ids.length === 0
      ? []
      : [sql`f.token in (select id from token where hash = any(${bytesOfTokens(token_ids)}))`]),
    ...(condition_ids.length === 0
      ? []
      : [
          sql`f.token in (
            select t.id from token t join condition c on c.id = t.condition
            where c.hash = any(${hashBytes(condition_ids)}))`,
        ]),
    ...(event_slugs.length === 0 ? [] : [listed(sql`e.slug = any(${event_slugs})`)]),
    ...(tags.length === 0
      ? []
      : [
          listed(
            sql`exists (select 1 from jsonb_array_elements_text(e.tags) g(tag) where lower(g.tag) = any(${tags}))`,
          ),
        ]),
  ]
}

const buildersOf = (sql: SqlClient, codes: ReadonlyArray<string> = []) => {
  if (codes.length === 0) return []
  const known = sql`f.builder in (select id from builder where code = any(${hashBytes(codes)}))`
  return [codes.includes(`0x${noBuilder}`) ? sql`(f.builder = 0 or ${known})` : known]
}

const fillConditions = (sql: SqlClient, filters: Filters): ReadonlyArray<Fragment> => {
  const { wallet_addresses = [], builder_codes = [], min_amount_usd, side } = filters
  const isOncePerTrade = wallet_addresses.length === 0 && builder_codes.length === 0
  return [
    ...walletsOf(sql, "f.maker", wallet_addresses),
    ...(isOncePerTrade ? [sql`f.taker <> 0`] : []),
    ...buildersOf(sql, builder_codes),
    ...tokensOf(sql, filters),
    ...(min_amount_usd === undefined ? [] : [sql`f.usd >= ${BigInt(usdcOf(min_amount_usd))}`]),
    ...(side === undefined ? [] : [side === "BUY" ? sql`not f.is_sale` : sql`f.is_sale`]),
  ]
}

const conditionsOf = (sql: SqlClient, kind: CountedKind, filters: Filters): ReadonlyArray<Fragment> => {
  const { wallet_addresses, receiver_addresses, condition_ids = [], min_fee_usd } = filters
  if (kind === "fill") return fillConditions(sql, filters)
  if (kind === "fee_charge") {
    return [
      ...walletsOf(sql, "f.receiver", receiver_addresses),
      ...(min_fee_usd === undefined ? [] : [sql`f.usd >= ${BigInt(usdcOf(min_fee_usd))}`]),
    ]
  }
  const ofWallets = walletsOf(sql, "f.wallet", wallet_addresses)
  if (kind === "conversion" || condition_ids.length === 0) return ofWallets
  const wanted = sql`f.condition in (select id from condition where hash = any(${hashBytes(condition_ids)}))`
  return [...ofWallets, wanted]
}

/** Lets Postgres skip the partitions of earlier months. */
const isSince = (sql: SqlClient, kind: CountedKind, since: Date) =>
  kind === "fill" ? sql`f.at >= ${secondFrom(since.getTime())}` : sql`f.at >= ${since}::timestamptz`

const matching = (sql: SqlClient, kind: CountedKind, filters: Filters, { first, last, since }: BlockRange) => sql`
  from ${sql(kind)} f where f.block between ${first}::int and ${last}::int and ${isSince(sql, kind, since)}
    and ${sql.and([sql`true`, ...conditionsOf(sql, kind, filters)])}`

export const count = (sql: SqlClient, kind: CountedKind, filters: Filters, range: BlockRange) =>
  Effect.map(
    sql<{ n: number }>`select count(*)::int as n ${matching(sql, kind, filters, range)}`,
    ([row]) => row?.n ?? 0,
  )

/** Newest first. */
export const newest = (sql: SqlClient, kind: CountedKind, filters: Filters, range: BlockRange, limit: number) =>
  sql<FactPlace>`
    select ${kind} as kind, f.block, f.log_index ${matching(sql, kind, filters, range)}
    order by f.block desc, f.log_index desc limit ${limit}`

/**
 * Blocks with anything about the wallets or tokens of a filter, and the first of the range; undefined if it has neither,
 * so that every block may matter.
 */
export const blocksAbout = Effect.fnUntraced(function* (sql: SqlClient, filters: Filters, range: BlockRange) {
  const { wallet_addresses = [], token_ids = [], condition_ids = [] } = filters
  const between = sql`block between ${range.first}::int and ${range.last}::int`
  if (wallet_addresses.length > 0) {
    const ids = sql`array(select id from wallet where address = any(${hashBytes(wallet_addresses)}))`
    const rows = yield* sql<{ block: number }>`
      select m.block from ${movesOf(sql)} m where m.wallet = any(${ids}) and m.${between}
      union
      select r.block from resolution r where r.${between} and exists (
        select 1 from token t join position p on p.token = t.id where t.condition = r.condition and p.wallet = any(${ids}))`
    return [range.first, ...rows.map(({ block }) => block)]
  }
  if (token_ids.length + condition_ids.length === 0) return undefined
  const rows = yield* sql<{ block: number }>`
    select distinct f.block from fill f where f.${between} and ${isSince(sql, "fill", range.since)}
      and ${sql.and(tokensOf(sql, { token_ids, condition_ids }))}`
  return [range.first, ...rows.map(({ block }) => block)]
})
