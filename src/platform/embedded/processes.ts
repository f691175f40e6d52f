import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { readdir, readFile, readlink } from "node:fs/promises"
import { Effect } from "effect"

export interface CommandResult {
  readonly code: number
  readonly output: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

/** Runs a short command to its end; a command that cannot be started has exit code 127. */
export const run = (command: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.callback<CommandResult>((resume) => {
    const { input, ...spawnOptions } = options
    const [file = "", ...args] = command
    const child = execFile(file, args, { cwd: "/", maxBuffer: 1 << 24, ...spawnOptions }, (error, stdout, stderr) => {
      const failed = error === null ? 0 : typeof error.code === "number" ? error.code : 127
      const reason = failed === 127 && error !== null ? error.message : ""
      resume(Effect.succeed({ code: failed, output: `${stdout}${stderr}${reason}` }))
    })
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input ?? "")
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** In a container whose init does not reap children, exited processes stay listed as zombies. */
const isZombie = (pid: number): boolean => {
  if (process.platform !== "linux") return false
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** False when there is no such process. */
export const sendSignal = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

export interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  /** Separate arguments on Linux, a single line elsewhere. */
  readonly command: ReadonlyArray<string>
}

const readProc = async (pid: string): Promise<ReadonlyArray<ProcessInfo>> => {
  try {
    const [command, stat] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ])
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
    return [{ pid: Number(pid), parent, command: command.replace(/\0+$/, "").split("\0") }]
  } catch {
    return []
  }
}

const listProc = async () => {
  const names = await readdir("/proc")
  return (await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProc))).flat()
}

const listPs = Effect.map(run(["ps", "-axww", "-o", "pid=,ppid=,command="]), ({ output }) =>
  output.split("\n").flatMap((line): ReadonlyArray<ProcessInfo> => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: [command] }]
  }),
)

export const listProcesses = process.platform === "linux" ? Effect.promise(listProc) : listPs

const mountsOf = (pid: number | "self") => readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined)

/**
 * Whether a process runs in another container, where the same paths are other files. An unreadable link (root in Docker, for
 * other users) counts as the same: such a container sees only its own processes anyway.
 */
export const hasOtherMounts = (pid: number) =>
  Effect.promise(async () => {
    const [theirs, ours] = await Promise.all([mountsOf(pid), mountsOf("self")])
    return theirs !== undefined && ours !== undefined && theirs !== ours
  })

export const childrenOf = (pid: number) =>
  Effect.map(listProcesses, (processes) => processes.filter(({ parent }) => parent === pid).map((child) => child.pid))
