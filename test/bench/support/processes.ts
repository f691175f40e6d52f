import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Children of a process and their descendants. */
export const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const parents = new Map<number, number>()
  for (const each of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    // The program name, in parentheses, may contain any character.
    const afterName = read(`/proc/${each}/stat`).split(") ").at(-1)
    parents.set(Number(each), Number(afterName?.split(" ")[1]))
  }
  const below = (ancestor: number): Array<number> =>
    [...parents].filter(([, parent]) => parent === ancestor).flatMap(([child]) => [child, ...below(child)])
  return below(pid)
}

const megabytes = (text: string, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1024

export const residentMegabytes = (pid: number): number => megabytes(read(`/proc/${pid}/status`), "VmRSS")

/** Counts shared memory, for example Postgres's buffers, once. */
export const proportionalMegabytes = (pid: number): number => megabytes(read(`/proc/${pid}/smaps_rollup`), "Pss")

export const nameOf = (pid: number): string => read(`/proc/${pid}/comm`).trim()

const ticksPerSecond = 100

/** Processor time of one process, with all its threads and the children that have ended, such as Postgres's backends. */
const ownSeconds = (pid: number): number => {
  const fields = read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? []
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0) / ticksPerSecond
}

/** Processor time of the program and its stores, without the venue, which is a node process as well. */
export const cpuSeconds = (pid: number): number =>
  [pid, ...descendantsOf(pid).filter((each) => /^(postgres|redis|valkey)/.test(nameOf(each)))].reduce(
    (total, each) => total + ownSeconds(each),
    0,
  )
