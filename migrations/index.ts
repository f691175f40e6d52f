import type { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import mesh from "./0001_mesh.ts"
import ledger from "./0002_ledger.ts"

/** In order and without a gap: a number lower than the newest one applied would be passed over silently. */
export const migrations: Readonly<Record<string, Effect.Effect<void, unknown, SqlClient>>> = {
  "0001_mesh": mesh,
  "0002_ledger": ledger,
}
