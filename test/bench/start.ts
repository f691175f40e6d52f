import { spawn } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { descendantsOf, nameOf, proportionalMegabytes, residentMegabytes } from "./support/processes.ts"
import { startEnvironment, startFlags } from "./support/startFlags.ts"
import { median } from "./support/statistics.ts"
import { temporaryDirectory } from "./support/stores.ts"

const root = join(import.meta.dirname, "..", "..")
const restarts = 5
const settled = "1500 millis"

interface Life {
  readonly readySeconds: number
  readonly stopSeconds: number
  readonly memory: Memory
}

interface Memory {
  readonly node: number
  readonly postgres: number
  readonly redis: number
}

const memoryOf = (pid: number): Memory => {
  const others = descendantsOf(pid)
  const sum = (name: RegExp) =>
    others.filter((each) => name.test(nameOf(each))).reduce((total, each) => total + proportionalMegabytes(each), 0)
  return { node: residentMegabytes(pid), postgres: sum(/^postgres/), redis: sum(/^(redis|valkey)/) }
}

const launch = (dir: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...startFlags, join(root, "src", "main.ts"), "start"], {
        cwd: dir,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          ...startEnvironment,
          PRESAGE_DIR: dir,
          HOST: "127.0.0.1",
          PORT: "0",
          WS_PORT: "0",
          SIM_PORT: "0",
        },
      }),
    ),
    // A killed one leaves its stores to their keepers, which stop them.
    (child) => Effect.sync(() => void child.kill("SIGKILL")),
  )

/** Starts it as a user does, lets it idle, and stops it as a service manager does. */
const live = (dir: string) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const child = yield* launch(dir)
    const since = (from: number) => (performance.now() - from) / 1000
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk
    })
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
    const ready = new Promise<void>((resolve, reject) => {
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        said += chunk
        if (said.includes("presage ready")) resolve()
      })
      exited.then((code) => reject(new Error(`presage ended with exit code ${code}\n${log}`)))
    })
    yield* Effect.tryPromise({ try: () => ready, catch: (error) => error as Error })
    const readySeconds = since(startedAt)
    yield* Effect.sleep(settled)
    const memory = memoryOf(child.pid ?? 0)
    const stoppedAt = performance.now()
    child.kill("SIGTERM")
    yield* Effect.promise(() => exited)
    return { readySeconds, stopSeconds: since(stoppedAt), memory } satisfies Life
  }).pipe(Effect.scoped)

/** From the command to `presage ready` and back, with all roles and the embedded stores. */
export const start: Bench = Effect.gen(function* () {
  const dir = yield* temporaryDirectory
  const first = yield* live(dir)
  const again: Array<Life> = []
  for (let i = 0; i < restarts; i++) again.push(yield* live(dir))
  const middle = (of: (life: Life) => number) => median(again.map(of))
  return {
    lines: [
      { what: "restart until ready", unit: "s", ours: middle((life) => life.readySeconds), goal: { most: 5 } },
      { what: "first start until ready", unit: "s", ours: first.readySeconds, goal: { most: 45 } },
      { what: "SIGTERM until exit", unit: "s", ours: middle((life) => life.stopSeconds) },
      { what: "idle memory, node (RSS)", unit: "MB", ours: middle((life) => life.memory.node) },
      { what: "idle memory, postgres (PSS)", unit: "MB", ours: middle((life) => life.memory.postgres) },
      { what: "idle memory, redis (PSS)", unit: "MB", ours: middle((life) => life.memory.redis) },
    ],
    notes: [],
    rounds: { first, again },
  }
})
