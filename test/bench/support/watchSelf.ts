import { monitorEventLoopDelay } from "node:perf_hooks"
import { residentMegabytes } from "./processes.ts"

export interface WatchedSubject {
  /** Begins to look at itself; returns the megabytes it takes. */
  readonly watch: () => Promise<number>
  /** The most it took since, and the longest that its event loop kept others waiting, in milliseconds. */
  readonly watched: () => Promise<{ readonly mostMegabytes: number; readonly longestBlock: number }>
}

const residentEvery = 10

export const watchSelf = (): WatchedSubject => {
  const delays = monitorEventLoopDelay({ resolution: 2 })
  let most = 0
  const look = () => {
    most = Math.max(most, residentMegabytes(process.pid))
  }
  setInterval(look, residentEvery).unref()
  delays.enable()
  return {
    watch: async () => {
      most = 0
      look()
      delays.reset()
      return most
    },
    watched: async () => {
      look()
      return { mostMegabytes: most, longestBlock: delays.max / 1e6 }
    },
  }
}
