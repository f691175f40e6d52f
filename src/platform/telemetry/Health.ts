import { Clock, Context, Effect, Layer, Ref, Schema, type Scope } from "effect"
import { abandonAfter } from "../process/deadline.ts"

const DependencyHealth = Schema.Struct({
  state: Schema.Literals(["up", "down"]),
  latency_ms: Schema.Number,
  detail: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "DependencyHealth" })
export type DependencyHealth = typeof DependencyHealth.Type

export const HealthReport = Schema.Struct({
  status: Schema.Literals(["ready", "not ready", "draining"]),
  dependencies: Schema.Record(Schema.String, DependencyHealth),
}).annotate({ identifier: "HealthReport" })
export type HealthReport = typeof HealthReport.Type

/** A check fails with a reason for the operator. */
export type Check = Effect.Effect<string | undefined, string>

/** Time that a check has. */
const limitMillis = 1_000

/** Readiness of each dependency of this process. */
export class Health extends Context.Service<
  Health,
  {
    /** Adds a dependency until the scope closes. */
    readonly register: (name: string, check: Check) => Effect.Effect<void, never, Scope.Scope>
    readonly report: Effect.Effect<HealthReport>
    /** Reports `draining` from now on, so that load balancers stop sending requests. */
    readonly drain: Effect.Effect<void>
  }
>()("presage/platform/Health") {
  static readonly layer = Layer.effect(
    Health,
    Effect.gen(function* () {
      const checks = new Map<string, Check>()
      const draining = yield* Ref.make(false)

      const clock = yield* Clock.Clock
      const monotonicMillis = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

      const run = (check: Check) =>
        Effect.gen(function* () {
          const start = monotonicMillis()
          const silence = () => {
            const lateBy = monotonicMillis() - start - limitMillis
            return lateBy > limitMillis / 4
              ? `no answer, but this process was busy and noticed it ${lateBy} ms late`
              : `no answer within ${limitMillis / 1000} s`
          }
          // A frozen store never answers, and its check may not be interruptible.
          const result = yield* abandonAfter(check, limitMillis, silence).pipe(
            Effect.map(
              (detail): Omit<DependencyHealth, "latency_ms"> => ({ state: "up", ...(detail ? { detail } : {}) }),
            ),
            Effect.catch((detail) => Effect.succeed({ state: "down" as const, detail })),
            Effect.catchDefect((defect) => Effect.succeed({ state: "down" as const, detail: String(defect) })),
          )
          return { ...result, latency_ms: monotonicMillis() - start }
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
