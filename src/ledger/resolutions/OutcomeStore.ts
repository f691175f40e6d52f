import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { bytes } from "../factRows.ts"
import type { KnownCombo } from "./Outcomes.ts"

/** Where a fact stands in the chain. */
export interface PlaceRow {
  readonly block: number
  readonly log_index: number
  readonly at: Date
  readonly tx: string
}

const place = (alias: string) =>
  `${alias}.block, ${alias}.log_index, ${alias}.at, encode(${transactionSql(alias)}, 'hex') as tx`

const legsIn = (digits: string): ReadonlyArray<string> => digits.match(/.{64}/g) ?? []

const hashes = (conditions: Iterable<string>) => pgArray("bytea", conditions, bytes)

type ComboRow = PlaceRow & { readonly id: number; readonly condition: string; readonly legs: string }

const combosWhere = (sql: SqlClient, condition: Fragment) =>
  Effect.map(
    sql<ComboRow>`
      select ${sql.literal(place("b"))}, b.condition as id, encode(c.hash, 'hex') as condition, encode(b.legs, 'hex') as legs
      from combo b join condition c on c.id = b.condition where ${condition}`,
    (rows) => rows.map((row): PlaceRow & KnownCombo => ({ ...row, legs: legsIn(row.legs) })),
  )

/**
 * Combos with a leg in one of these conditions. The subquery hides how many these are: without statistics, Postgres would
 * expect some hundreds of them to match most combos and would compute the legs of all.
 */
export const combosOn = (sql: SqlClient, conditions: Iterable<string>) =>
  combosWhere(sql, sql`leg_conditions(b.legs) && (select ${hashes(conditions)}::bytea[])`)

export const allCombos = (sql: SqlClient) => combosWhere(sql, sql`true`)

type RenameRow = PlaceRow & { readonly condition: string; readonly legacy: string }

const renamesWhere = (sql: SqlClient, condition: Fragment) => sql<RenameRow>`
  select ${sql.literal(place("n"))}, encode(c.hash, 'hex') as condition, encode(l.hash, 'hex') as legacy
  from condition_rename n join condition c on c.id = n.condition join condition l on l.id = n.legacy
  where ${condition}`

/** The newer names of these conditions, by the ledger's ids. */
export const newerNames = (sql: SqlClient, ids: Iterable<number>) =>
  renamesWhere(sql, sql`n.legacy = any(${pgArray("int4", ids)})`)

/** The older names of these conditions. */
export const olderNames = (sql: SqlClient, conditions: Iterable<string>) =>
  renamesWhere(sql, sql`n.condition in (select id from condition where hash = any(${hashes(conditions)}))`)

export const allRenames = (sql: SqlClient) => renamesWhere(sql, sql`true`)

interface ResultRow extends PlaceRow {
  readonly sub: number
  readonly id: number
  readonly condition: string
  readonly payouts: ReadonlyArray<number>
}

const resultsWhere = (sql: SqlClient, condition: Fragment) =>
  Effect.map(
    sql<Omit<ResultRow, "payouts"> & { readonly payouts: ReadonlyArray<bigint> }>`
      select ${sql.literal(place("r"))}, r.sub, r.condition as id, encode(c.hash, 'hex') as condition, r.payouts
      from resolution r join condition c on c.id = r.condition where ${condition}`,
    (rows) => rows.map((row): ResultRow => ({ ...row, payouts: row.payouts.map(Number) })),
  )

export const resultsOf = (sql: SqlClient, conditions: Iterable<string>) =>
  resultsWhere(sql, sql`r.condition in (select id from condition where hash = any(${hashes(conditions)}))`)

/** Results that may decide a combo, and those of combos, in chain order. */
export const allResults = (sql: SqlClient) =>
  resultsWhere(
    sql,
    sql`r.condition in (
      select condition from combo union all select legacy from condition_rename union all
      select l.id from condition l where l.hash in (select unnest(leg_conditions(legs)) from combo))
    order by r.block, r.log_index, r.sub`,
  )
