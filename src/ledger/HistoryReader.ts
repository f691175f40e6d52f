import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { ReaderDied } from "#src/upstream/chain/failures.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { RangeResult } from "#src/upstream/chain/readRange.ts"
import type { DecodedAnswer } from "./decodeRange.ts"
import type { ReadRequest, ReadResponse } from "./historyThread.ts"
import { unpack } from "./packedRange.ts"

const entry = new URL("./historyThread.ts", import.meta.url)
const moduleCache = new URL("../platform/process/moduleCache.ts", import.meta.url)

/** Holds the short-lived objects of one answer; a third less costs a twentieth of the speed. */
const maxYoungGenerationSizeMb = 36

type Resume = (result: Effect.Effect<RangeResult<DecodedAnswer>, ReaderDied>) => void

const unpackResult = (result: ReadResponse["result"]): RangeResult<DecodedAnswer> => {
  if (result._tag !== "Read") return result
  const { packed, ...read } = result.value
  return { _tag: "Read", value: { ...read, decoded: unpack(packed) } }
}

/** Starts a thread that decodes answers about history; it ends with the scope. */
export const historyReader = Effect.gen(function* () {
  const waiting = new Map<number, Resume>()
  let [nextId, died]: [number, ReaderDied | undefined] = [0, undefined]

  const end = (detail: string) => {
    died ??= new ReaderDied({ detail })
    for (const resume of waiting.values()) resume(Effect.fail(died))
    waiting.clear()
  }

  const thread = yield* Effect.acquireRelease(
    Effect.try({
      try: () =>
        new Worker(entry, {
          name: "history",
          execArgv: ["--import", moduleCache.href],
          resourceLimits: { maxYoungGenerationSizeMb },
        }),
      catch: (error) => new ReaderDied({ detail: `it failed to start: ${error}` }),
    }),
    (worker) => Effect.promise(() => worker.terminate()),
  )
  thread.on("message", ({ id, result }: ReadResponse) => {
    waiting.get(id)?.(Effect.sync(() => unpackResult(result)))
    waiting.delete(id)
  })
  thread.on("messageerror", (error) => end(error.message))
  thread.on("error", (error) => end(String(error)))
  thread.on("exit", (code) => end(`it exited with code ${code}`))

  const read: RangeReader<DecodedAnswer> = (answer) =>
    Effect.callback<RangeResult<DecodedAnswer>, ReaderDied>((resume) => {
      if (died !== undefined) {
        resume(Effect.fail(died))
        return
      }
      const request: ReadRequest = { id: nextId++, answer }
      waiting.set(request.id, resume)
      // Transferred, not copied.
      thread.postMessage(request, [answer.bytes.buffer])
      return Effect.sync(() => waiting.delete(request.id))
    })
  return read
})
