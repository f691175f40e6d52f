import { Effect } from "effect"
import { BadInput } from "../server/errors.ts"

/** Unix seconds, both inclusive. */
export interface UnixRange {
  readonly from: number
  readonly to: number
}

interface RangeInput {
  readonly from?: unknown
  readonly to?: unknown
}

interface Options {
  /** Whether errors name a query parameter or a field of the body. */
  readonly where: "param" | "field"
  readonly nowMillis: number
  /** The second of the newest known data, where a later range ends. */
  readonly newest?: number | undefined
  /** Start of a range without `from`. */
  readonly begin: (to: number) => number
}

/** Milliseconds from 1973 on; as seconds they would be thousands of years from now. */
const looksLikeMillis = 1e11

const kinds = { param: "Parameter", field: "Field" } as const

const wrong = (where: Options["where"], name: string, problem: string, hint?: string) =>
  Effect.fail(
    new BadInput({
      error: `${kinds[where]} "${name}": ${problem}.`,
      [where]: name,
      ...(hint !== undefined && { hint }),
    }),
  )

const readSeconds = (where: Options["where"], name: string, input: unknown) => {
  if (input === undefined) return Effect.undefined
  if (typeof input !== "number" || !Number.isSafeInteger(input) || input < 0)
    return wrong(where, name, `expected Unix seconds, got ${JSON.stringify(input)?.slice(0, 100)}`)
  if (input < looksLikeMillis) return Effect.succeed(input)
  const seconds = Math.floor(input / 1000)
  const problem = `expected Unix seconds, got ${input}, which looks like milliseconds`
  return wrong(where, name, problem, `Divide by 1000: ${seconds}.`)
}

/** The requested range; it ends now by default, and with the newest data at the latest. */
export const readUnixRange = Effect.fnUntraced(function* (
  input: RangeInput,
  { where, nowMillis, newest = Number.POSITIVE_INFINITY, begin }: Options,
) {
  const until = yield* readSeconds(where, "to", input.to)
  const requested = until ?? Math.floor(nowMillis / 1000)
  const to = Math.min(requested, newest)
  const from = (yield* readSeconds(where, "from", input.from)) ?? begin(to)
  if (from <= requested) return { from, to: Math.max(from, to) } satisfies UnixRange
  return yield* until === undefined
    ? wrong(where, "from", `expected a time not after now (${requested}), got ${from}`)
    : wrong(where, "to", `expected a time not before "from" (${from}), got ${requested}`)
})
