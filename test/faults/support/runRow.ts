import { Cause, Effect } from "effect"
import { lies } from "./honesty.ts"
import { summary } from "./observer.ts"
import { patience } from "./patience.ts"
import type { Judged, Outcome, Row } from "./Row.ts"

/** How much longer than promised is waited, to say how long it takes. */
const waitsTimes = 4
const longestFault = "15 minutes"

const inWords = (cause: Cause.Cause<unknown>) => Cause.pretty(cause).split("\n").slice(0, 12).join("\n    ")

/** Causes a fault, waits until the service is well again, and compares everything. */
export const runRow = Effect.fnUntraced(function* <S>(row: Row<S>, scene: Judged<S>, seed: number) {
  const { judge } = scene
  const { observer } = judge
  const promised = row.within * patience
  const wrong: Array<string> = []
  const note = (what: string) => (cause: Cause.Cause<unknown>) =>
    Effect.sync(() => void wrong.push(`${what}: ${inWords(cause)}`))

  const from = Date.now()
  yield* row.fault(scene).pipe(Effect.scoped, Effect.timeout(longestFault), Effect.catchCause(note("the fault")))
  const until = Date.now()
  const since = yield* judge.mark
  const { seconds, missing } = yield* judge.isBack(since, promised * waitsTimes * 1_000)
  const back = seconds === undefined ? undefined : (Date.now() - until) / 1_000
  if (back === undefined) wrong.push(`not back: ${missing.join("; ")}`)
  else if (back > promised) wrong.push(`back after ${back.toFixed(1)} s instead of ${promised} s`)
  wrong.push(...lies(observer, row, from, until))
  const answers = summary(observer.since(from).data)
  if (row.afterwards !== undefined) {
    yield* row.afterwards(scene).pipe(Effect.scoped, Effect.catchCause(note("afterwards")))
    yield* judge.isBack(yield* judge.mark, promised * waitsTimes * 1_000)
  }

  const compared = yield* judge.compare.pipe(
    Effect.catchCause((cause) =>
      Effect.succeed({ lost: 0, twice: 0, repeated: 0, wrong: [`the comparison: ${inWords(cause)}`] }),
    ),
  )
  const mayRepeat = row.mayRepeat ?? 0
  if (compared.repeated > mayRepeat)
    wrong.push(`webhook: ${compared.repeated} were repeated, at most ${mayRepeat} may be`)
  const outcome = {
    row: row.name,
    seed,
    promised: row.within,
    ...(back === undefined ? {} : { back }),
    answers,
    lost: compared.lost,
    twice: compared.twice,
    repeated: compared.repeated,
    wrong: [...wrong, ...compared.wrong],
  } satisfies Outcome
  const lasts = back === undefined || compared.lost + compared.twice + compared.wrong.length > 0
  return { outcome, /** Whether the next row would be blamed for this one. */ lasts }
})

export const isGood = ({ lost, twice, wrong }: Outcome) => lost === 0 && twice === 0 && wrong.length === 0
