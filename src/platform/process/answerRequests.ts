import { setPriority } from "node:os"
import { parentPort } from "node:worker_threads"

export interface ThreadRequest<Request> {
  readonly id: number
  readonly request: Request
}

export interface ThreadAnswer<Answer> {
  readonly id: number
  readonly answer: Answer
}

/** A third of the usual CPU share: nobody waits for what such a thread reads, and it must not delay the others. */
const niceness = 5

/** Makes this thread answer the requests of `startThread`. What is transferred is not copied. */
export const answerRequests = <Request, Answer>(
  answerTo: (request: Request) => { readonly answer: Answer; readonly transferred: ReadonlyArray<ArrayBuffer> },
) => {
  // On other platforms this applies to the whole process.
  if (process.platform === "linux") setPriority(niceness)
  parentPort?.on("message", ({ id, request }: ThreadRequest<Request>) => {
    const { answer, transferred } = answerTo(request)
    parentPort?.postMessage({ id, answer } satisfies ThreadAnswer<Answer>, transferred)
  })
}
