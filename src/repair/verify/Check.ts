import type { SqlClient } from "effect/unstable/sql/SqlClient"

export interface Check {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** One picture of the ledger, and how far it has come in it. */
export interface Picture {
  readonly sql: SqlClient
  readonly block: number
  readonly hash: Uint8Array
  readonly startedFrom: number
  /** How many of the last blocks may still be replaced. */
  readonly depth: number
}

export const check = (name: string, wrong: number, good: string, bad: string): Check => ({
  check: name,
  ok: wrong === 0,
  detail: wrong === 0 ? good : bad,
})
