import { Clock, Context, Effect, Layer, Ref, Schema, type Scope } from "effect"
import { abandonAfter } from "../process/deadline.ts"

export const DependencyHealth = Schema.Struct({
  state: Schema.Literals(["up", "down"]),
  latency_ms: Schema.Number,
  detail: Schema.optionalKey(Schema.String),
})
export type DependencyHealth = typeof DependencyHealth.Type

export const HealthReport = Schema.Struct({
  status: Schema.Literals(["ready", "not ready", "draining"]),
  dependencies: Schema.Record(Schema.String, DependencyHealth),
})
export type HealthReport = typeof HealthReport.Type

/** A check fails with the reason, in words for an operator. */
export type Check = Effect.Effect<string | undefined, string>

/** What this process depends on, and whether each of it answers right now. */
export class Health extends Context.Service<
  Health,
  {
    /** Adds a dependency for as long as the scope lives. */
    readonly register: (name: string, check: Check) => Effect.Effect<void, never, Scope.Scope>
    readonly report: Effect.Effect<HealthReport>
    /** From now on the process says that it is going away, so that balancers stop sending. */
    readonly drain: Effect.Effect<void>
  }
>()("presage/platform/Health") {
  static readonly layer = Layer.effect(
    Health,
    Effect.gen(function* () {
      const checks = new Map<string, Check>()
      const draining = yield* Ref.make(false)

      const run = (check: Check) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          // A frozen store answers nothing at all, so the check is abandoned rather than awaited.
          const outcome = yield* abandonAfter(check, "1 second", () => "no answer within 1 s").pipe(
            Effect.map(
              (detail): Omit<DependencyHealth, "latency_ms"> => ({ state: "up", ...(detail ? { detail } : {}) }),
            ),
            Effect.catch((detail) => Effect.succeed({ state: "down" as const, detail })),
            Effect.catchDefect((defect) => Effect.succeed({ state: "down" as const, detail: String(defect) })),
          )
          return { ...outcome, latency_ms: (yield* Clock.currentTimeMillis) - start }
        })

      return Health.of({
        register: (name, check) =>
          Effect.acquireRelease(
            Effect.sync(() => checks.set(name, check)),
            () => Effect.sync(() => checks.get(name) === check && checks.delete(name)),
          ),
        drain: Ref.set(draining, true),
        report: Effect.gen(function* () {
          const names = [...checks.keys()]
          const results = yield* Effect.forEach(checks.values(), run, { concurrency: "unbounded" })
          const allUp = results.every((result) => result.state === "up")
          const status = (yield* Ref.get(draining)) ? "draining" : allUp ? "ready" : "not ready"
          return {
            status,
            dependencies: Object.fromEntries(names.map((name, i) => [name, results[i] as DependencyHealth])),
          }
        }),
      })
    }),
  )
}
