import { setFlagsFromString } from "node:v8"
import { Effect } from "effect"

/** How much a heap grows by what does not live any more, in per cent of what does. V8 decides by itself if it is 0. */
const setGrowth = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`)

const tight = 30
let running = 0

/** Keeps the heaps of all threads small during work that creates much garbage for a long time. */
export const withTightHeap = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      if (running++ === 0) setGrowth(tight)
    }),
    () => work,
    () =>
      Effect.sync(() => {
        if (--running === 0) setGrowth(0)
      }),
  )
