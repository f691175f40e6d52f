import { Effect } from "effect"
import { BadInput } from "../errors.ts"

/** The start of 2024 in UTC. */
const firstSecond = 1_704_067_200

/** Milliseconds from 1973 on. As seconds they would be thousands of years from now. */
const looksLikeMillis = 1e11

const inMillis = (param: string, value: number) =>
  new BadInput({
    error: `Parameter "${param}": expected Unix seconds, got ${value}, which looks like milliseconds.`,
    param,
    hint: `Divide by 1000: ${param}=${Math.floor(value / 1000)}.`,
  })

/** The range that is asked for, in seconds. */
export const readRange = (
  { from = firstSecond, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  nowMillis: number,
): Effect.Effect<{ readonly from: number; readonly to: number }, BadInput> => {
  const until = to ?? Math.floor(nowMillis / 1000)
  if (from >= looksLikeMillis) return Effect.fail(inMillis("from", from))
  if (until >= looksLikeMillis) return Effect.fail(inMillis("to", until))
  if (from <= until) return Effect.succeed({ from, to: until })
  const what = to === undefined ? "from" : "to"
  const error =
    to === undefined
      ? `Parameter "from": expected a moment that is not after now (${until}), got ${from}.`
      : `Parameter "to": expected a moment that is not before "from" (${from}), got ${until}.`
  return Effect.fail(new BadInput({ error, param: what }))
}
