import { monitorEventLoopDelay } from "node:perf_hooks"
import { residentMegabytes } from "./processes.ts"

export interface MonitoredSubject {
  /** Resets the peaks; returns the current memory in megabytes. */
  readonly startMonitor: () => Promise<number>
  /** Peak memory since then, and the longest event-loop delay in milliseconds. */
  readonly peaks: () => Promise<{ readonly peakMegabytes: number; readonly longestDelay: number }>
}

const residentEvery = 10

export const monitorSelf = (): MonitoredSubject => {
  const delays = monitorEventLoopDelay({ resolution: 2 })
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, residentMegabytes(process.pid))
  }
  setInterval(sample, residentEvery).unref()
  delays.enable()
  return {
    startMonitor: async () => {
      peak = 0
      sample()
      delays.reset()
      return peak
    },
    peaks: async () => {
      sample()
      return { peakMegabytes: peak, longestDelay: delays.max / 1e6 }
    },
  }
}
