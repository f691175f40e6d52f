import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import type { ActivityFilter, ActivityPage, ActivityQuery, Listed } from "./model.ts"

/** Facts of one kind, as rows `f`. */
export interface ListSource {
  readonly table: string
  /** Number of the kind in lists that have several. */
  readonly kind: number
  /** The column with the owner of a fact. */
  readonly owner: string
  /** What a row has beside its place. Sources of one list have the same columns. */
  readonly columns: string
  readonly sub?: string
  readonly where?: string
  /** Whether the time is stored in seconds. */
  readonly isInSeconds?: boolean
}

/** A list of facts of some sources, with what `joins` adds to a page of rows `f`. */
export interface List<Row, A extends Listed> {
  readonly sources: ReadonlyArray<ListSource>
  readonly columns: string
  readonly joins: string
  readonly read: (row: Row, listed: Listed) => A
}

/** An id that no wallet has. */
const nobody = -1

export const findOwner = (sql: SqlClient, { owner }: ActivityFilter) =>
  owner === undefined
    ? Effect.succeed(undefined)
    : Effect.map(
        sql<{ readonly id: number }>`select id from wallet where address = ${bytesOfWallet(owner)}`,
        ([found]) => found?.id ?? nobody,
      )

/** A second as the source stores times. */
const secondSql =
  (sql: SqlClient, { isInSeconds }: ListSource) =>
  (second: number) =>
    isInSeconds ? sql`${second}::int` : sql`to_timestamp(${second}::int)`

/** Conditions on all facts of a source that match, on the page or not. Those of everybody are found by their blocks. */
export const matching = (
  sql: SqlClient,
  source: ListSource,
  { after, before }: ActivityFilter,
  owner: number | undefined,
): ReadonlyArray<Fragment> => {
  const time = secondSql(sql, source)
  // By time, or Postgres reads all blocks before the first one that it looks for.
  const first = (at: Fragment) =>
    sql`(select b.number from block b where b.at >= ${at} order by b.at, b.number limit 1)`
  const last = (at: Fragment) =>
    sql`(select b.number from block b where b.at < ${at} order by b.at desc, b.number desc limit 1)`
  return [
    sql.literal(source.where ?? "true"),
    ...(owner === undefined
      ? [
          ...(after === undefined ? [] : [sql`f.block >= ${first(sql`to_timestamp(${after}::int)`)}`]),
          ...(before === undefined ? [] : [sql`f.block <= ${last(sql`to_timestamp(${before}::int)`)}`]),
        ]
      : [
          sql`f.${sql.literal(source.owner)} = ${owner}::int`,
          ...(after === undefined ? [] : [sql`f.at >= ${time(after)}`]),
          ...(before === undefined ? [] : [sql`f.at < ${time(before)}`]),
        ]),
  ]
}

/** The first condition lets an index find where the page begins. */
const behindPlace = (
  sql: SqlClient,
  source: ListSource,
  { order, behind }: ActivityQuery,
  owner: number | undefined,
): ReadonlyArray<Fragment> => {
  if (behind === undefined) return []
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  const at = secondSql(sql, source)(behind.at)
  const { block, logIndex, kind, sub } = behind
  return [
    owner === undefined ? sql`f.block ${beyond}= ${block}::int` : sql`f.at ${beyond}= ${at}`,
    sql`(f.at ${beyond} ${at} or (f.block, f.log_index, ${source.kind}::int, ${sql.literal(source.sub ?? "0")})
      ${beyond} (${block}::int, ${logIndex}::int, ${kind}::int, ${sub}::int))`,
  ]
}

const inOrder = (sql: SqlClient, { order }: ActivityQuery, columns: ReadonlyArray<string>) =>
  sql.literal(`order by ${columns.map((column) => `${column} ${order}`).join(", ")}`)

/** As many facts of a source as a page can need. */
const branch = (sql: SqlClient, source: ListSource, query: ActivityQuery, owner: number | undefined) => {
  const { table, kind, columns, sub = "0", isInSeconds } = source
  const selected = `${kind} as kind, ${isInSeconds ? "to_timestamp(f.at)" : "f.at"} as at, f.block, f.log_index, ${sub} as sub, ${columns}`
  const conditions = [...matching(sql, source, query.filter, owner), ...behindPlace(sql, source, query, owner)]
  const order = [...(owner === undefined ? [] : ["f.at"]), "f.block", "f.log_index", ...(sub === "0" ? [] : [sub])]
  return sql`(
    select ${sql.literal(selected)} from ${sql.literal(table)} f where ${sql.and(conditions)}
    ${inOrder(sql, query, order)} limit ${query.offset + query.limit + 1})`
}

interface PlaceRow extends AsOfRow {
  /** Null in the only row of an empty page. */
  readonly block: number | null
  readonly log_index: number
  readonly kind: number
  readonly sub: number
  readonly at: Date
  readonly tx: string
}

const chainOrder = ["f.at", "f.block", "f.log_index", "f.kind", "f.sub"]

/**
 * A page of facts and the state of the ledger that it shows, in one statement. `head` is one row, whose columns every row of
 * the answer has.
 */
export const readPage = <Row extends object, A extends Listed, Head = unknown>(
  sql: SqlClient,
  { sources, columns, joins, read }: List<Row, A>,
  query: ActivityQuery,
  owner: number | undefined,
  head: Fragment = sql.literal(asOfSql),
) => {
  const { limit, offset } = query
  const branches = sources
    .map((source) => branch(sql, source, query, owner))
    .reduce((all, each) => sql`${all} union all ${each}`)
  return Effect.map(
    sql<PlaceRow & Row & Head>`
      with head as materialized (${head}), page as materialized (
        select * from (${branches}) f ${inOrder(sql, query, chainOrder)} offset ${offset} limit ${limit + 1})
      select head.*, f.kind, f.at, f.block, f.log_index, f.sub,
        encode(${sql.literal(transactionSql("f"))}, 'hex') as tx, ${sql.literal(columns)}
      from head left join page f on true ${sql.literal(joins)}
      ${inOrder(sql, query, chainOrder)}`,
    (rows): ActivityPage<A> & { readonly head: Head | undefined } => {
      const found = rows.flatMap((row) => {
        if (row.block === null) return []
        const { block, log_index: logIndex, kind, sub, at, tx } = row
        return [read(row, { at: Math.floor(at.getTime() / 1000), block, logIndex, kind, sub, tx: `0x${tx}` })]
      })
      const shown = found.slice(0, limit)
      return {
        rows: shown,
        next: found.length > limit ? shown.at(-1) : undefined,
        asOf: asOfIn(rows[0]),
        head: rows[0],
      }
    },
  )
}
