import { performance } from "node:perf_hooks"
import { Effect, MutableList, Scheduler } from "effect"

/** How long fibers run before sockets are read again, unless a single step takes longer. */
const sliceMillis = 2

/**
 * Node runs everything that is due before it reads its sockets: with many ready fibers, a waiting message waits for all of
 * them. This scheduler alternates ready fibers, first come, first served, with socket reads.
 */
const makeFair = () => {
  const ready = MutableList.make<() => void>()
  let sliceEnd: number | undefined

  const endSlice = () => {
    sliceEnd = undefined
  }
  const step = () => {
    const now = performance.now()
    if (sliceEnd === undefined) {
      sliceEnd = now + sliceMillis
      setImmediate(endSlice)
    } else if (now >= sliceEnd) {
      setImmediate(step)
      return
    }
    const run = MutableList.take(ready)
    if (run !== MutableList.Empty) run()
  }

  return (run: () => void) => {
    MutableList.append(ready, run)
    // One immediate per task: Node settles promises between two immediates, as it does with the default scheduler.
    setImmediate(step)
    return () => MutableList.remove(ready, run)
  }
}

export const fairScheduler: Scheduler.Scheduler = new Scheduler.MixedScheduler("async", makeFair())

/**
 * Resumes as soon as the awaited value arrives, ahead of everything else that is due in this process. Only for short work
 * on a critical path: no socket is read while it runs.
 */
export const withImmediateScheduler = Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
