import * as fc from "fast-check"
import type { Bucket, Buckets } from "#src/limits/model.ts"

/** Equal requests at one time. */
export interface Step {
  readonly owner: string
  readonly buckets: Buckets
  readonly count: number
  /** Microseconds. */
  readonly at: number
}

const minute = 60_000_000
const start = 1_794_700_800_123_456

const forward = [0, 1, 999, 1_000_000, minute / 3, minute / 2, minute - 1, minute, minute + 1, 5 * minute]
const backward = [-1, -999_999, -minute / 2, -minute, -minute - 1, -60 * minute]

interface Temper {
  readonly owners: ReadonlyArray<string>
  readonly limits: ReadonlyArray<number>
  /** One in this many steps changes the limits. */
  readonly steady: number
  readonly most: number
  readonly moves: fc.Arbitrary<number>
}

/** Small limits and jumps that make edge cases common. */
const restless = (jumps: ReadonlyArray<number>): Temper => ({
  owners: ["account:1", "account:1", "account:2", "account:3"],
  limits: [1, 2, 3, 5, 9, 20, 0],
  steady: 3,
  most: 25,
  moves: fc.oneof(fc.constantFrom(...jumps), fc.integer({ min: 0, max: minute / 6 })),
})

/** Most of a window stays between steps, so that its ring wraps many times. */
const busy: Temper = {
  owners: ["account:1"],
  limits: [9, 20, 30],
  steady: 40,
  most: 6,
  moves: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: minute / 8 }) },
    { weight: 1, arbitrary: fc.constantFrom(minute / 3, minute / 2, -minute / 20) },
  ),
}

const bucketsOf = (kind: string, [standard, heavy]: readonly [number, number]): Buckets => {
  const first: Bucket = { name: "standard", limit: standard, windowMillis: 60_000 }
  if (kind === "standard") return [first]
  if (kind === "heavy") return [first, { name: "heavy", limit: heavy, windowMillis: 60_000 }]
  return [first, { name: "online-search", limit: 3, windowMillis: 10_000 }]
}

const tracesOf = ({ owners, limits, steady, most, moves }: Temper, isAllowed: (move: number) => boolean) => {
  const limit = fc.constantFrom(...limits)
  const step = fc.record({
    owner: fc.constantFrom(...owners),
    kind: fc.constantFrom("standard", "standard", "heavy", "search"),
    limits: fc.tuple(limit, limit),
    changes: fc.nat({ max: steady - 1 }).map((chance) => chance === 0),
    count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: most })),
    move: moves.map((move) => (isAllowed(move) ? Math.round(move) : 0)),
  })
  return fc.array(step, { minLength: 1, maxLength: 100, size: "max" }).map((steps) => {
    const agreed = new Map<string, readonly [number, number]>()
    let at = start
    return steps.map(({ owner, kind, limits, changes, count, move }): Step => {
      at += move
      const current = (changes ? undefined : agreed.get(owner)) ?? limits
      agreed.set(owner, current)
      return { owner, buckets: bucketsOf(kind, current), count, at }
    })
  })
}

/** Requests of several owners over time; limits sometimes change, and the clock may be set back. */
export const traces = (options: { readonly clock: "forward only" | "set back at times" }) => {
  const isAllowed = (move: number) => options.clock === "set back at times" || move >= 0
  return fc.oneof(tracesOf(restless([...forward, ...backward]), isAllowed), tracesOf(busy, isAllowed))
}

/** The requests of a step, in order. */
export const positions = ({ count }: Step) => Array.from({ length: count }, (_, position) => position)
