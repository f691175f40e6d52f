import type { Effect, Scope } from "effect"
import type { Report } from "./report.ts"

/** A measurement and its report. Goals are reported, not asserted. */
export type Bench = Effect.Effect<Report, unknown, Scope.Scope>
