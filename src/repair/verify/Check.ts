import type { SqlClient } from "effect/unstable/sql/SqlClient"

export interface Check {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** A consistent snapshot of the ledger and its cursor. */
export interface VerifySnapshot {
  readonly sql: SqlClient
  readonly block: number
  readonly hash: Uint8Array
  readonly startedFrom: number
  /** First block whose facts have not been dropped. */
  readonly factsFrom: number
  /** Whether the ledger has all facts of the venue. */
  readonly isComplete: boolean
  /** Number of recent blocks that may still be replaced. */
  readonly depth: number
}

export const check = (name: string, wrong: number, good: string, bad: string): Check => ({
  check: name,
  ok: wrong === 0,
  detail: wrong === 0 ? good : bad,
})
