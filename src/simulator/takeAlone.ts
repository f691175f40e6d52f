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

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Marks a journal as ours; what is returned gives it free. A mark of a process that is gone does not count. */
export const takeAlone = (path: string): (() => void) => {
  const mark = `${path}.pid`
  mkdirSync(dirname(path), { recursive: true })
  for (;;) {
    try {
      writeFileSync(mark, String(process.pid), { flag: "wx" })
      return () => rmSync(mark, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    const owner = Number(readFileSync(mark, "utf8"))
    if (Number.isInteger(owner) && owner > 0 && owner !== process.pid && isAlive(owner))
      throw new WorldInUse(path, owner)
    rmSync(mark, { force: true })
  }
}
