import { spawn } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { startEnvironment, startFlags } from "./startFlags.ts"

const root = join(import.meta.dirname, "..", "..", "..")

const launch = (dir: string, environment: Readonly<Record<string, string>>) =>
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
          ...environment,
        },
      }),
    ),
    // After a SIGKILL, the stores are stopped by their supervisors.
    (child) => Effect.sync(() => void child.kill("SIGKILL")),
  )

export interface Program {
  readonly pid: number
  /** The line with which it announces its addresses. */
  readonly announced: string
  /** Stops it like a service manager, and waits for its end. */
  readonly stop: Effect.Effect<void>
}

/** Starts the program like a user, and waits until it is ready. */
export const startProgram = Effect.fnUntraced(function* (
  dir: string,
  environment: Readonly<Record<string, string>> = {},
) {
  const child = yield* launch(dir, environment)
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const ready = new Promise<string>((resolve, reject) => {
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
      const line = /^presage ready .*$/m.exec(output)
      if (line !== null) resolve(line[0])
    })
    exited.then((code) => reject(new Error(`presage exited with code ${code}\n${log}`)))
  })
  const announced = yield* Effect.tryPromise({ try: () => ready, catch: (error) => error as Error })
  const stop = Effect.andThen(
    Effect.sync(() => child.kill("SIGTERM")),
    Effect.promise(() => exited),
  )
  return { pid: child.pid ?? 0, announced, stop: Effect.asVoid(stop) } satisfies Program
})
