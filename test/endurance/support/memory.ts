import { readFileSync } from "node:fs"
import { descendantsOf, nameOf, proportionalMegabytes, residentMegabytes } from "#test/bench/support/processes.ts"

/** Megabytes of each process. */
export type Memory = ReadonlyMap<string, number>

export interface Sample {
  readonly minutes: number
  readonly memory: Memory
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")

/** Postgres counts as one process: its backends come and go, and share their buffers. */
const measured: ReadonlyArray<readonly [name: string, is: (pid: number) => boolean, of: (pid: number) => number]> = [
  ["venue", (pid) => commandOf(pid).includes("main.ts start"), residentMegabytes],
  ["redis", (pid) => nameOf(pid).startsWith("redis"), residentMegabytes],
  ["postgres", (pid) => nameOf(pid).startsWith("postgres"), proportionalMegabytes],
]

/** The memory of a program and of the venue and stores that it has started. */
export const memoryOf = (pid: number): Memory => {
  const children = descendantsOf(pid)
  const sum = (is: (pid: number) => boolean, of: (pid: number) => number) =>
    children.reduce((total, child) => {
      try {
        return is(child) ? total + of(child) : total
      } catch {
        // It has ended meanwhile.
        return total
      }
    }, 0)
  return new Map([
    ["presage", residentMegabytes(pid)],
    ...measured.map(([name, is, of]) => [name, sum(is, of)] as const),
  ])
}

/** Megabytes a minute, by least squares. */
export const slopeOf = (samples: ReadonlyArray<Sample>, name: string): number => {
  const points = samples.map(({ minutes, memory }) => ({ x: minutes, y: memory.get(name) ?? 0 }))
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
}
