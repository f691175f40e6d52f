import type { Effect, Scope } from "effect"
import type { Report } from "./report.ts"

/** Measures one thing and says how it went; goals are reported, not asserted. */
export type Bench = Effect.Effect<Report, unknown, Scope.Scope>
