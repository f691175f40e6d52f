import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type Identity, serverEnvironment } from "./identity.ts"
import { isAlive, sendSignal } from "./processes.ts"
import { fromFileError, type Store, type StoreUnavailable } from "./StoreUnavailable.ts"

const script = join(import.meta.dirname, "keeper.sh")
const patienceSeconds = 10
/** Exit code of the keeper when another process uses the data. */
export const dataInUse = 75

export interface LaunchOptions {
  readonly store: Store
  readonly command: ReadonlyArray<string>
  readonly identity: Identity
  readonly stopSignal: "INT" | "TERM"
  readonly logFile: string
  readonly lockFile: string
  readonly staleFile: string
}

/** One run of one server. */
export interface ServerProcess {
  /** Undefined when the keeper ended before it started the server. */
  readonly pid: number | undefined
  /** Resolves with the exit code of the server (128 + n for signal n). */
  readonly exited: Promise<number>
  readonly hasExited: () => boolean
  /** Stops gracefully, then with SIGKILL; always resolves. */
  readonly stop: () => Promise<void>
}

const delay = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis).unref())

const firstLine = (child: ChildProcess) =>
  new Promise<string>((resolve) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
    })
    child.stdout?.once("close", () => resolve(text.trim()))
    child.once("error", () => resolve(""))
  })

const launch = async (options: LaunchOptions): Promise<ServerProcess> => {
  const log = openSync(options.logFile, "a", 0o640)
  const lock = openSync(options.lockFile, "a", 0o600)
  const { prefix, ...credentials } = options.identity
  // A separate process group: Ctrl-C in the terminal must not reach the servers before Presage has drained.
  const child = spawn(
    "sh",
    [script, options.stopSignal, String(patienceSeconds), options.staleFile, ...prefix, ...options.command],
    { cwd: "/", detached: true, env: serverEnvironment(), stdio: ["pipe", "pipe", log, lock], ...credentials },
  )
  closeSync(log)
  closeSync(lock)
  child.stdin?.on("error", () => undefined)

  let ended = false
  const keeperEnded = new Promise<number>((resolve) => {
    child.once("exit", (code) => resolve(code ?? 128))
    child.once("error", () => resolve(127))
  })
  const pid = Number(await firstLine(child)) || undefined

  const killGroup = () => {
    if (child.pid !== undefined) sendSignal(-child.pid, "SIGKILL")
    if (pid !== undefined) sendSignal(pid, "SIGKILL")
  }
  // The keeper alone may have been killed.
  const serverEnded = async (code: number) => {
    child.stdin?.destroy()
    if (pid !== undefined && isAlive(pid)) sendSignal(pid, `SIG${options.stopSignal}`)
    for (let left = patienceSeconds * 50; pid !== undefined && isAlive(pid); left--) {
      if (left === 0) killGroup()
      await delay(20)
    }
    ended = true
    return code
  }
  const exited = keeperEnded.then(serverEnded)
  const stop = async () => {
    if (ended) return
    child.stdin?.destroy()
    await Promise.race([exited, delay((patienceSeconds + 2) * 1000)])
    if (!ended) killGroup()
    await Promise.race([exited, delay(2000)])
  }
  return { pid, exited, hasExited: () => ended, stop }
}

export const launchServer = (options: LaunchOptions): Effect.Effect<ServerProcess, StoreUnavailable> =>
  Effect.uninterruptible(
    Effect.tryPromise({ try: () => launch(options), catch: fromFileError(options.store, options.logFile) }),
  )
