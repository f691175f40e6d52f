import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { isAtLeast, type Plan, plans } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName, PerMinute } from "#src/keys/model.ts"
import { gatedServer } from "./support/GatedApi.ts"
import { askWith } from "./support/keys.ts"

const traces = process.env.PRESAGE_SOAK === undefined ? 12 : 400

const rules = {
  "/v1/gated/plain": { least: "free", isHeavy: false },
  "/v3/gated/paid": { least: "starter", isHeavy: false },
  "/v3/gated/heavy": { least: "starter", isHeavy: true },
  "/v2/gated/growth": { least: "growth", isHeavy: false },
} as const
type Path = keyof typeof rules
const paths = Object.keys(rules) as ReadonlyArray<Path>

interface Customer {
  readonly plan: Plan
  readonly standard: number
  readonly heavy: number
}

interface Step {
  readonly customer: number
  readonly key: number
  readonly path: Path
  readonly isWrong: boolean
}

const limit = fc.integer({ min: 1, max: 8 })
const customers = fc.array(fc.record({ plan: fc.constantFrom(...plans), standard: limit, heavy: limit }), {
  minLength: 3,
  maxLength: 3,
})
const steps = fc.array(
  fc.record({ customer: fc.nat(2), key: fc.nat(1), path: fc.constantFrom(...paths), isWrong: fc.boolean() }),
  { minLength: 10, maxLength: 40 },
)

/** Expected results by plain counting: nothing leaves the window within a test. */
const reference = (all: ReadonlyArray<Customer>) => {
  const used = all.map(() => ({ standard: 0, heavy: 0 }))
  return ({ customer, path, isWrong }: Step) => {
    const { plan, standard, heavy } = all[customer] as Customer
    const spent = used[customer] as { standard: number; heavy: number }
    const { least, isHeavy } = rules[path]
    if (!isAtLeast(plan, least)) return { status: plan === "free" ? 402 : 403, remaining: undefined }
    const isFull = spent.standard === standard || (isHeavy && spent.heavy === heavy)
    if (!isFull) {
      spent.standard++
      if (isHeavy) spent.heavy++
    }
    const left = [standard - spent.standard, ...(isHeavy ? [heavy - spent.heavy] : [])]
    // Failed answers need no limit headers.
    const remaining = !isFull && isWrong ? undefined : String(Math.min(...left))
    return { status: isFull ? 429 : isWrong ? 400 : 200, remaining }
  }
}

/** An account with two keys; the free plan has only one, used for both. */
const join = ({ plan, standard, heavy }: Customer) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const { key, account } = yield* keys.open(plan, KeyName.make("first"))
    yield* keys.setLimits(account.id, { standard: PerMinute.make(standard), heavy: PerMinute.make(heavy) })
    if (plan === "free") return [key, key].map(Redacted.value)
    const second = yield* keys.createKey(account.id, KeyName.make("second"))
    return [key, second.key].map(Redacted.value)
  })

layer(gatedServer({ "limits.window": "1h" }), { excludeTestServices: true })("Access control", (it) => {
  it.effect(
    "keys, plans and limits admit exactly the requests of a simple reference model",
    () =>
      Effect.gen(function* () {
        const seed = Math.floor(Math.random() * 2 ** 31)
        const samples = fc.sample(fc.tuple(customers, steps), { numRuns: traces, seed })
        for (const [all, trace] of samples) {
          const expected = reference(all)
          const given = yield* Effect.forEach(all, join)
          for (const [i, step] of trace.entries()) {
            const key = given[step.customer]?.[step.key] ?? ""
            const { status, headers } = yield* askWith(key, `${step.path}${step.isWrong ? "?nonsense=1" : ""}`)
            const seen = { status, remaining: headers["x-ratelimit-remaining"] }
            assert.deepStrictEqual(seen, expected(step), `seed ${seed}, step ${i} of ${JSON.stringify(all)}`)
          }
        }
      }),
    600_000,
  )
})
