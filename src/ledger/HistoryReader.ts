import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { ReaderDied } from "#src/upstream/chain/failures.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { Said } from "#src/upstream/chain/readRange.ts"
import type { Question, Understood } from "./historyThread.ts"
import { unpack } from "./packedRange.ts"
import type { RangeMeaning } from "./understandRange.ts"

const entry = new URL("./historyThread.ts", import.meta.url)

/** Room for what is made of one answer, which is gone with it; a third less costs a twentieth of the speed. */
const maxYoungGenerationSizeMb = 36

type Resume = (understood: Effect.Effect<Said<RangeMeaning>, ReaderDied>) => void

const unpacked = (said: Understood["said"]): Said<RangeMeaning> =>
  said._tag === "Read" ? { ...said, value: { ...said.value, stretch: unpack(said.value.stretch) } } : said

/** A thread that understands answers about history, for as long as the scope is open. */
export const historyReader = Effect.gen(function* () {
  const waiting = new Map<number, Resume>()
  let [asked, died]: [number, ReaderDied | undefined] = [0, undefined]

  const end = (detail: string) => {
    died ??= new ReaderDied({ detail })
    for (const resume of waiting.values()) resume(Effect.fail(died))
    waiting.clear()
  }

  const thread = yield* Effect.acquireRelease(
    Effect.try({
      try: () => new Worker(entry, { name: "history", resourceLimits: { maxYoungGenerationSizeMb } }),
      catch: (error) => new ReaderDied({ detail: `it could not be started: ${error}` }),
    }),
    (worker) => Effect.promise(() => worker.terminate()),
  )
  thread.on("message", ({ id, said }: Understood) => {
    waiting.get(id)?.(Effect.sync(() => unpacked(said)))
    waiting.delete(id)
  })
  thread.on("messageerror", (error) => end(error.message))
  thread.on("error", (error) => end(String(error)))
  thread.on("exit", (code) => end(`it ended with ${code}`))

  const understand: RangeReader<RangeMeaning> = (answer) =>
    Effect.callback<Said<RangeMeaning>, ReaderDied>((resume) => {
      if (died !== undefined) {
        resume(Effect.fail(died))
        return
      }
      const question: Question = { id: asked++, answer }
      waiting.set(question.id, resume)
      // Given away, not copied.
      thread.postMessage(question, [answer.bytes.buffer])
      return Effect.sync(() => waiting.delete(question.id))
    })
  return understand
})
