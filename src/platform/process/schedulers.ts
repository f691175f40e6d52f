import { performance } from "node:perf_hooks"
import { MutableList, Scheduler, Effect } from "effect"

/**
 * Goes on as soon as what it waits for is there, instead of after all else that is due in this process. For little work
 * that others wait for: whatever it does, sockets are not read meanwhile.
 */
export const withImmediateScheduler = Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))

/** How long fibers run before sockets are read again, unless a single step of one takes longer. */
const turnMillis = 2

/**
 * Node runs all that is due before it looks at its sockets again: with many fibers ready at once, whoever waits for a
 * message waits for all of them. Here those that are ready take turns with the sockets, first come, first served.
 */
const fairly = () => {
  const ready = MutableList.make<() => void>()
  let turnEnds: number | undefined

  const endTurn = () => {
    turnEnds = undefined
  }
  const step = () => {
    const now = performance.now()
    if (turnEnds === undefined) {
      turnEnds = now + turnMillis
      setImmediate(endTurn)
    } else if (now >= turnEnds) {
      setImmediate(step)
      return
    }
    const run = MutableList.take(ready)
    if (run !== MutableList.Empty) run()
  }

  return (run: () => void) => {
    MutableList.append(ready, run)
    // One step each, not one for all: between two of them Node settles promises, as it does without turns.
    setImmediate(step)
    return () => MutableList.remove(ready, run)
  }
}

export const fairScheduler: Scheduler.Scheduler = new Scheduler.MixedScheduler("async", fairly())
