import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The processes that a process started, and theirs. */
export const descendantsOf = (pid: number): ReadonlyArray<number> => {
  const parents = new Map<number, number>()
  for (const each of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    // The name of the program, in parentheses, may hold anything.
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

/** Memory that several share, such as Postgres's buffers, is counted once. */
export const proportionalMegabytes = (pid: number): number => megabytes(read(`/proc/${pid}/smaps_rollup`), "Pss")

export const nameOf = (pid: number): string => read(`/proc/${pid}/comm`).trim()
