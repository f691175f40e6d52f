import { Effect } from "effect"
import { BadInput } from "../errors.ts"

const longestMillis = 86_400_000

/** Seconds from 2001 to 5138. As milliseconds they would be of before 1974. */
const looksLikeSeconds = (value: number) => value >= 1e9 && value < 1e11
const latest = 1e14

const wrongMoment = (param: string, value: number) => {
  if (looksLikeSeconds(value)) {
    return new BadInput({
      error: `Parameter "${param}": expected Unix milliseconds, got ${value}, which looks like seconds.`,
      param,
      hint: `Multiply by 1000: ${param}=${value * 1000}.`,
    })
  }
  if (value < latest) return undefined
  return new BadInput({
    error: `Parameter "${param}": expected Unix milliseconds, got ${value}, which is thousands of years from now.`,
    param,
    hint: "Microseconds and nanoseconds have to be divided.",
  })
}

/** Refuses ranges that nobody can mean, in words that say what to send instead. */
export const checkRange = ({
  from,
  to,
}: {
  readonly from: number
  readonly to: number
}): Effect.Effect<void, BadInput> => {
  const wrong = wrongMoment("from", from) ?? wrongMoment("to", to)
  if (wrong !== undefined) return Effect.fail(wrong)
  if (to <= from) {
    return Effect.fail(
      new BadInput({ error: `Parameter "to": expected a moment after "from" (${from}), got ${to}.`, param: "to" }),
    )
  }
  if (to - from <= longestMillis) return Effect.void
  return Effect.fail(
    new BadInput({
      error: `Parameter "to": expected at most 24 hours (${longestMillis} ms) after "from", got ${to - from} ms.`,
      param: "to",
      hint: `Ask for one day at a time: to=${from + longestMillis} at most, and go on from there.`,
    }),
  )
}
