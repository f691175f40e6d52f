import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Dictionary entries by their numeric ids. Hashes are hexadecimal digits without 0x. */
interface WalletEntry {
  readonly id: number
  readonly address: string
}

interface TokenEntry {
  readonly id: number
  readonly token: string
  readonly condition: string | null
  readonly condition_id: number | null
  readonly outcome: number | null
}

interface ConditionEntry {
  readonly id: number
  readonly condition: string
  /** Ids of its tokens, by outcome; empty until the outcomes are known. */
  readonly tokens: ReadonlyArray<number>
}

export const wallets = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  sql<WalletEntry>`
    select id, encode(address, 'hex') as address from wallet where id = any(${pgArray("int4", ids)})`

export const tokens = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  sql<TokenEntry>`
    select t.id, encode(t.hash, 'hex') as token, encode(c.hash, 'hex') as condition, t.condition as condition_id, t.outcome
    from token t left join condition c on c.id = t.condition where t.id = any(${pgArray("int4", ids)})`

export const conditions = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  sql<ConditionEntry>`
    select c.id, encode(c.hash, 'hex') as condition,
      array(select t.id from token t where t.condition = c.id and t.outcome is not null order by t.outcome) as tokens
    from condition c where c.id = any(${pgArray("int4", ids)})`

const bytes = (hexes: ReadonlyArray<string>) =>
  pgArray(
    "bytea",
    hexes.map((hex) => Buffer.from(hex, "hex")),
  )

/** The legs of combos, by conditions of 64 digits: their tokens, concatenated. */
export const comboLegs = (sql: SqlClient, conditions: ReadonlyArray<string>) =>
  sql<{ condition: string; legs: string }>`
    select distinct on (c.id) encode(c.hash, 'hex') as condition, encode(o.legs, 'hex') as legs
    from condition c join combo o on o.condition = c.id where c.hash = any(${bytes(conditions)})`

/** Ids of the tokens traded for conditions of the newer contracts, by outcome. */
export const tradedTokens = (sql: SqlClient, conditions: ReadonlyArray<string>) =>
  sql<{ condition: string; tokens: ReadonlyArray<number> }>`
    select distinct on (c.id) encode(c.hash, 'hex') as condition,
      array(select t.id from token t where t.condition = m.legacy and t.outcome is not null order by t.outcome) as tokens
    from condition c join condition_rename m on m.condition = c.id where c.hash = any(${bytes(conditions)})`
