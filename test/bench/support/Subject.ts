import { fork } from "node:child_process"
import { join } from "node:path"
import { type Duration, Effect } from "effect"
import { type Answer, readyId } from "./answerAs.ts"
import { startEnvironment, startFlags } from "./startFlags.ts"

const answerWithin = "60 seconds"

/** The venue is started without, as Presage does it. */
const flagsOf = (file: string) => (file.startsWith("ours/") && file !== "ours/venue.ts" ? startFlags : [])

type ArgumentsOf<F> = F extends (...args: infer A) => unknown ? A : never
type ResultOf<F> = F extends (...args: never) => infer R ? Awaited<R> : never

/** A process under measurement, and the questions it answers. */
export interface Subject<V> {
  readonly ask: <K extends keyof V & string>(
    verb: K,
    ...args: ArgumentsOf<V[K]>
  ) => Effect.Effect<ResultOf<V[K]>, Error>
}

/** Starts a file of `test/bench` that calls `answerAs`; it is gone at the end of the scope. */
export const startSubject = <V>(
  file: string,
  env: Readonly<Record<string, string>> = {},
  patience: Duration.Input = answerWithin,
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
    const answerTo = (id: number) =>
      Effect.callback<unknown, Error>((resume) => {
        const leave = () => {
          child.off("message", hear)
          child.off("exit", gone)
        }
        const hear = (answer: Answer) => {
          if (answer.id !== id) return
          leave()
          resume(answer.error === undefined ? Effect.succeed(answer.value) : Effect.fail(new Error(answer.error)))
        }
        const gone = (code: number | null) => {
          leave()
          resume(Effect.fail(new Error(`${file} ended with exit code ${code}`)))
        }
        child.on("message", hear).once("exit", gone)
        return Effect.sync(leave)
      }).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(new Error(`${file} did not answer within ${patience}`)),
        }),
      )
    yield* answerTo(readyId)
    const subject: Subject<V> = {
      ask: (verb, ...args) =>
        Effect.suspend(() => {
          const id = ++last
          child.send({ id, verb, args })
          return answerTo(id) as Effect.Effect<never, Error>
        }),
    }
    return subject
  })
