import { createWriteStream } from "node:fs"
import { stat } from "node:fs/promises"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Schedule } from "effect"
import { FilesRefused, FilesUnavailable } from "./model.ts"
import type { Remote } from "./remote.ts"

const times = 7
const delays = Schedule.exponential("200 millis")
/** Without a byte for so long, the connection is given up and the rest asked for again. */
const defaultPatience = 30_000

export interface Download {
  readonly remote: Remote
  readonly path: string
  /** Where the file goes. */
  readonly target: string
  /** Its length; at most so many bytes if it is not known. */
  readonly bytes: number
  readonly isExact: boolean
  readonly patience?: number
}

const reasonOf = (error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ""
  return error instanceof Error ? `${error.message}${cause}` : String(error)
}

const lengthOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Passes on at most so many bytes, and tells of each. */
const counted = (bytes: number, onBytes: () => void) => {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes()
      left -= chunk.length
      done(left < 0 ? new Error("it is longer than its manifest says") : null, chunk)
    },
  })
}

/** The server will not give the file, however often it is asked. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429

/** Reads what is missing of the file. */
const attempt = async ({ remote, path, target, bytes, isExact, patience = defaultPatience }: Download) => {
  const there = isExact ? await lengthOf(target) : 0
  if (isExact && there === bytes && bytes > 0) return
  const url = remote.urlOf(path)
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(new Error(`nothing came for ${patience / 1000} s`)), patience)
  try {
    const wanted = there > 0 && there < bytes ? { range: `bytes=${there}-` } : {}
    const response = await fetch(url, {
      headers: remote.authorize(url, wanted, new Date()),
      signal: stalled.signal,
    })
    if (!response.ok || response.body === null) {
      const reason = `cannot download ${url.href}: it answers ${response.status}${remote.hint}`
      await response.body?.cancel()
      throw isFinal(response.status) ? new FilesRefused({ reason }) : new Error(`it answers ${response.status}`)
    }
    // A server without ranges sends all of it again.
    const from = response.status === 206 ? there : 0
    await pipeline(
      Readable.fromWeb(response.body as never),
      counted(bytes - from, () => timer.refresh()),
      createWriteStream(target, { flags: from > 0 ? "a" : "w" }),
      { signal: stalled.signal },
    )
    const length = await lengthOf(target)
    if (isExact && length !== bytes) throw new Error(`the connection ended after ${length} of ${bytes} bytes`)
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** Downloads a file; what a broken connection left is kept, and only the rest is asked for again. */
export const download = (options: Download) =>
  Effect.tryPromise({
    try: () => attempt(options),
    catch: (error) =>
      error instanceof FilesRefused
        ? error
        : new FilesUnavailable({
            reason: `cannot download ${options.remote.urlOf(options.path).href}: ${reasonOf(error)}`,
          }),
  }).pipe(Effect.retry({ times, schedule: delays, while: ({ _tag }) => _tag === "FilesUnavailable" }))
