import * as fc from "fast-check"
import type { Bucket } from "#src/limits/model.ts"
import type { Buckets } from "#src/limits/verdict.ts"

/** Some equal requests at a time. */
export interface Step {
  readonly owner: string
  readonly buckets: Buckets
  readonly count: number
  /** Microseconds. */
  readonly at: number
}

const minute = 60_000_000
const start = 1_794_700_800_123_456

/** Limits as small as make every edge common, and those of another plan, which change in the middle. */
const limits = fc.constantFrom(1, 2, 3, 5, 8, 9, 20, 0)
const forward = [0, 0, 1, 999, 1_000_000, minute / 3, minute / 2, minute - 1, minute, minute + 1, 5 * minute]
const backward = [-1, -999_999, -minute / 2, -minute, -minute - 1, -60 * minute]

const choice = fc.record({
  owner: fc.constantFrom("account:1", "account:2", "account:3"),
  kind: fc.constantFrom("standard", "heavy", "search"),
  limits: fc.tuple(limits, limits),
  keepsLimits: fc.boolean(),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 25 })),
})

const bucketsOf = (kind: string, [standard, heavy]: readonly [number, number]): Buckets => {
  const first: Bucket = { name: "standard", limit: standard, windowMillis: 60_000 }
  if (kind === "standard") return [first]
  if (kind === "heavy") return [first, { name: "heavy", limit: heavy, windowMillis: 60_000 }]
  return [first, { name: "online-search", limit: 3, windowMillis: 10_000 }]
}

/** What several owners ask over a while; limits change now and then, and the clock may be set back. */
export const traces = (options: { readonly clock: "forward only" | "set back at times" }) => {
  const moves = options.clock === "forward only" ? forward : [...forward, ...backward]
  const step = fc.record({ choice, move: fc.oneof(fc.constantFrom(...moves), fc.integer({ min: 0, max: minute / 6 })) })
  return fc.array(step, { minLength: 1, maxLength: 60 }).map((steps) => {
    const agreed = new Map<string, readonly [number, number]>()
    let at = start
    return steps.map(({ choice: { owner, kind, limits, keepsLimits, count }, move }): Step => {
      at += Math.round(move)
      const current = (keepsLimits ? agreed.get(owner) : undefined) ?? limits
      agreed.set(owner, current)
      return { owner, buckets: bucketsOf(kind, current), count, at }
    })
  })
}

/** The wanted answers: to every request of every step. */
export const positions = ({ count }: Step) => Array.from({ length: count }, (_, position) => position)
