import { Effect, Exit } from "effect"

interface QueuedCall<A, B, E> {
  readonly item: A
  readonly resume: (exit: Exit.Exit<B, E>) => void
}

export interface BatchOptions {
  /** How many are handled together at most. */
  readonly maxBatch: number
  /** How many such handlings may go on side by side; what comes meanwhile is gathered for the next one. */
  readonly concurrency: number
}

/**
 * For what many ask for one by one and what costs less for many at once, such as a statement of SQL: those who ask in
 * the same turn, or while others are served, are served together. `run` answers in the order in which it is given; its
 * failure is everybody's. Who is interrupted leaves, unless it is too late; then nobody hears the answer.
 */
export const batchCalls = Effect.fnUntraced(function* <A, B, E>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { maxBatch: most, concurrency: sideBySide }: BatchOptions,
) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let waiting: Array<QueuedCall<A, B, E>> = []
  let running = 0
  let called = false

  const serve = () => {
    called = false
    while (waiting.length > 0 && running < sideBySide) {
      const together = waiting.slice(0, most)
      waiting = waiting.slice(most)
      running++
      const fiber = fork(
        Effect.flatMap(run(together.map(({ item }) => item)), (answers) =>
          answers.length === together.length
            ? Effect.succeed(answers)
            : Effect.die(new Error(`${answers.length} answers to ${together.length} questions`)),
        ),
      )
      fiber.addObserver((exit) => {
        running--
        for (const [i, { resume: tell }] of together.entries()) tell(Exit.map(exit, (answers) => answers[i] as B))
        call()
      })
    }
  }
  const call = () => {
    if (called || waiting.length === 0) return
    called = true
    setImmediate(serve)
  }

  return (item: A): Effect.Effect<B, E> =>
    Effect.callback<B, E>((resume) => {
      const one: QueuedCall<A, B, E> = { item, resume: resume }
      waiting.push(one)
      call()
      return Effect.sync(() => {
        waiting = waiting.filter((each) => each !== one)
      })
    })
})
