import { Cause, Effect, type Scope } from "effect"
import { Dice } from "#src/simulator/random.ts"
import { startJudge } from "./judge.ts"
import type { Listened } from "./listeners.ts"
import type { Outcome, Row } from "./Row.ts"
import { runRow } from "./runRow.ts"
import type { Service } from "./service.ts"

/** Until a service that has just started follows everything. */
const wellWithin = 300_000

export type Judgeable = Listened & Pick<Service, "services">
type Start<S> = (seed: number) => Effect.Effect<S, unknown, Scope.Scope>

/** Rows that one running service can be put through, and how it is started. */
export interface Group<S extends Judgeable = Judgeable> {
  readonly rows: ReadonlyArray<Row<S>>
  readonly start: Start<S>
}

/** Ends after a row whose harm lasts, because the next would be blamed for it. */
const runOnOne = <S extends Judgeable>(
  { rows, start }: Group<S>,
  seed: number,
  onOutcome: (outcome: Outcome) => void,
) =>
  Effect.gen(function* () {
    const service = yield* start(seed)
    yield* Effect.gen(function* () {
      const judge = yield* startJudge(service)
      const scene = { ...service, judge, dice: new Dice(seed) }
      for (const row of rows) {
        const { missing } = yield* judge.isBack(yield* judge.mark, wellWithin)
        if (missing.length > 0)
          return yield* Effect.die(new Error(`not well before ${row.name}: ${missing.join("; ")}`))
        const { outcome, lasts } = yield* runRow(row, scene, seed)
        onOutcome(outcome)
        if (lasts) return
      }
    }).pipe(Effect.scoped, Effect.provide(service.services))
  }).pipe(Effect.scoped)

/** Runs rows one after the other on as few services as possible. */
export const runRows = <S extends Judgeable>(
  { rows, start }: Group<S>,
  seed: number,
  onOutcome: (outcome: Outcome) => void,
) =>
  Effect.gen(function* () {
    let left = rows
    while (left.length > 0) {
      let done = 0
      const note = (outcome: Outcome) => {
        done += 1
        onOutcome(outcome)
      }
      yield* runOnOne({ rows: left, start }, seed, note).pipe(
        Effect.catchCause((cause) =>
          Effect.sync(() => {
            const row = left[done]
            if (row === undefined) return
            const wrong = [Cause.pretty(cause)]
            note({ row: row.name, seed, promised: row.within, answers: "–", lost: 0, twice: 0, repeated: 0, wrong })
          }),
        ),
      )
      left = left.slice(done)
    }
  })
