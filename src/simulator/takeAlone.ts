import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Two venues on one journal would each make a world of their own out of it. */
export class WorldInUse extends Error {
  readonly _tag = "WorldInUse"

  constructor(path: string, pid: number) {
    super(
      `the simulated world in ${dirname(path)} is run by process ${pid}: stop that one or choose another PRESAGE_DIR`,
    )
  }
}

/** When a process began, in the system's own count; undefined where that cannot be told. */
const beganAt = (pid: number): string | undefined => {
  try {
    // The name, in brackets, may hold spaces; what follows it does not.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
  } catch {
    return undefined
  }
}

const markOf = (pid: number) => `${pid} ${beganAt(pid) ?? ""}`.trim()

/** Numbers of processes come again, above all in containers: only one that began at the same moment is the same. */
const isRunning = (mark: string): boolean => {
  const pid = Number(mark.split(" ")[0])
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  return markOf(pid) === mark
}

/** Marks a journal as ours; what is returned gives it free. A mark of a process that is gone does not count. */
export const takeAlone = (path: string): (() => void) => {
  const file = `${path}.pid`
  mkdirSync(dirname(path), { recursive: true })
  for (;;) {
    try {
      writeFileSync(file, markOf(process.pid), { flag: "wx" })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    const mark = readFileSync(file, "utf8").trim()
    if (isRunning(mark)) throw new WorldInUse(path, Number(mark.split(" ")[0]))
    rmSync(file, { force: true })
  }
}
