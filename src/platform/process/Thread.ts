import { type Transferable, Worker } from "node:worker_threads"
import { Effect, Schema } from "effect"
import type { ThreadAnswer, ThreadRequest } from "./answerRequests.ts"

const moduleCache = new URL("./moduleCache.ts", import.meta.url)

/** A thread has ended; what it was asked is not answered. */
export class ThreadDied extends Schema.TaggedError<ThreadDied>()("ThreadDied", { detail: Schema.String }) {
  override get message() {
    return `a thread ended: ${this.detail}`
  }
}

export interface ThreadOptions {
  readonly name: string
  readonly maxYoungGenerationSizeMb?: number
}

/** Starts a thread whose file calls `answerRequests`; it ends with the scope. */
export const startThread = Effect.fnUntraced(function* <Request, Answer>(entry: URL, options: ThreadOptions) {
  const { name, ...resourceLimits } = options
  const waiting = new Map<number, (answer: Effect.Effect<Answer, ThreadDied>) => void>()
  let [nextId, died]: [number, ThreadDied | undefined] = [0, undefined]

  const end = (detail: string) => {
    died ??= new ThreadDied({ detail })
    for (const resume of waiting.values()) resume(Effect.fail(died))
    waiting.clear()
  }

  const thread = yield* Effect.acquireRelease(
    Effect.try({
      try: () => new Worker(entry, { name, execArgv: ["--import", moduleCache.href], resourceLimits }),
      catch: (error) => new ThreadDied({ detail: `it failed to start: ${error}` }),
    }),
    (worker) => Effect.promise(() => worker.terminate()),
  )
  thread.on("message", ({ id, answer }: ThreadAnswer<Answer>) => {
    waiting.get(id)?.(Effect.succeed(answer))
    waiting.delete(id)
  })
  thread.on("messageerror", (error) => end(error.message))
  thread.on("error", (error) => end(String(error)))
  thread.on("exit", (code) => end(`it exited with code ${code}`))

  /** Asks the thread; what is transferred is not copied, and is empty here afterwards. */
  return (request: Request, transferred: ReadonlyArray<Transferable>) =>
    Effect.callback<Answer, ThreadDied>((resume) => {
      if (died !== undefined) {
        resume(Effect.fail(died))
        return
      }
      const sent: ThreadRequest<Request> = { id: nextId++, request }
      waiting.set(sent.id, resume)
      thread.postMessage(sent, transferred)
      return Effect.sync(() => waiting.delete(sent.id))
    })
})
