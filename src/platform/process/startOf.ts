import { readFileSync } from "node:fs"

/** Start time of a process in clock ticks since boot; undefined where /proc is missing. Process ids are used again. */
export const startOf = (pid: number): string | undefined => {
  try {
    // The process name, in parentheses, may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
  } catch {
    return undefined
  }
}
