import { fork } from "node:child_process"
import { join } from "node:path"
import { type Duration, Effect } from "effect"
import { type Reply, readyId } from "./expose.ts"
import { startEnvironment, startFlags } from "./startFlags.ts"

const defaultTimeout = "60 seconds"

const moduleCache = new URL("../../../src/platform/process/moduleCache.ts", import.meta.url).href

/** As Presage starts its processes and the venue (`SimulatorChild.ts`). */
const flagsOf = (file: string) => {
  if (!file.startsWith("ours/")) return []
  const isVenue = file === "ours/venue.ts"
  return ["--import", moduleCache, ...startFlags.filter((flag) => !isVenue || !flag.startsWith("--max-old-space-size"))]
}

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ResultOf<F> = F extends (...args: never) => infer R ? Awaited<R> : never

/** A process under measurement, controlled by calls. */
export interface Subject<V> {
  readonly call: <K extends keyof V & string>(
    method: K,
    ...args: ArgumentsOf<V[K]>
  ) => Effect.Effect<ResultOf<V[K]>, Error>
}

/** Starts a file of `test/bench` that calls `expose`. The process ends with the scope. */
export const startSubject = <V>(
  file: string,
  env: Readonly<Record<string, string>> = {},
  timeout: Duration.Input = defaultTimeout,
) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(join(import.meta.dirname, "..", file), {
          env: { ...process.env, ...startEnvironment, ...env },
          execArgv: [...flagsOf(file)],
        }),
      ),
      (started) =>
        Effect.callback<void>((resume) => {
          if (started.exitCode !== null || started.signalCode !== null) return resume(Effect.void)
          started.once("exit", () => resume(Effect.void))
          if (started.connected) started.disconnect()
          const kill = setTimeout(() => started.kill("SIGKILL"), 2000)
          return Effect.sync(() => clearTimeout(kill))
        }),
    )
    let last = readyId
    const replyTo = (id: number) =>
      Effect.callback<unknown, Error>((resume) => {
        const unsubscribe = () => {
          child.off("message", onMessage)
          child.off("exit", onExit)
        }
        const onMessage = (reply: Reply) => {
          if (reply.id !== id) return
          unsubscribe()
          resume(reply.error === undefined ? Effect.succeed(reply.value) : Effect.fail(new Error(reply.error)))
        }
        const onExit = (code: number | null) => {
          unsubscribe()
          resume(Effect.fail(new Error(`${file} exited with code ${code}`)))
        }
        child.on("message", onMessage).once("exit", onExit)
        return Effect.sync(unsubscribe)
      }).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new Error(`${file} did not reply within ${timeout}`)),
        }),
      )
    yield* replyTo(readyId)
    const subject: Subject<V> = {
      call: (method, ...args) =>
        Effect.suspend(() => {
          const id = ++last
          child.send({ id, method, args })
          return replyTo(id) as Effect.Effect<never, Error>
        }),
    }
    return subject
  })
