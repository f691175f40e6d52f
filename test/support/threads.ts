import type { Worker } from "node:worker_threads"
import { Effect } from "effect"

/** Threads that are started within the scope; `onStart` sees each of them first. */
export const threads = Effect.acquireRelease(
  Effect.sync(() => {
    const started: Array<Worker> = []
    const seen: Array<(worker: Worker) => void> = []
    const keep = (worker: Worker) => {
      started.push(worker)
      for (const see of seen) see(worker)
    }
    process.on("worker", keep)
    return { started, keep, onStart: (see: (worker: Worker) => void) => void seen.push(see) }
  }),
  ({ keep }) => Effect.sync(() => process.off("worker", keep)),
)
