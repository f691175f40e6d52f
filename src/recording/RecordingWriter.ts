import { createWriteStream } from "node:fs"
import { mkdir, readdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { Clock, Deferred, Effect, Exit } from "effect"
import { version } from "#src/platform/process/version.ts"
import {
  BadRecording,
  type ChainLine,
  fileOf,
  formatName,
  formatVersion,
  type Line,
  type Manifest,
  manifestFile,
  type Source,
} from "./model.ts"

export interface WriterOptions {
  readonly dir: string
  readonly upstream: Manifest["upstream"]
  /** Of all lines, before compression. */
  readonly maxBytes: number
  /** Removes secrets from a line. */
  readonly clean: (line: string) => string
}

export interface RecordingWriter {
  readonly write: (source: Source, line: Line) => void
  /** Completes when the largest size is reached. */
  readonly full: Effect.Effect<void>
  /** Begins the recording's time elsewhere than at the first line, and ends it elsewhere than at the last. */
  readonly setTimes: (startedAt: number, endedAt?: number) => void
  readonly counts: () => ReadonlyMap<Source, FileCounts>
}

interface FileCounts {
  readonly lines: number
  readonly bytes: number
}

const openFile = (path: string) => {
  const gzip = createGzip()
  const file = gzip.pipe(createWriteStream(path, { flags: "wx" }))
  const state = { lines: 0, bytes: 0, failure: undefined as unknown }
  for (const stream of [gzip, file]) stream.on("error", (error: Error) => (state.failure ??= error))
  return {
    state,
    write: (text: string) => {
      gzip.write(text)
      state.lines += 1
      state.bytes += Buffer.byteLength(text)
    },
    close: async () => {
      gzip.end()
      if (state.failure === undefined) await finished(file)
      if (state.failure !== undefined) throw state.failure
    },
  }
}

const problem = (dir: string) => (error: unknown) =>
  new BadRecording({ problem: `${dir}: ${error instanceof Error ? error.message : String(error)}` })

const prepare = (dir: string) =>
  Effect.gen(function* () {
    const found = yield* Effect.tryPromise({
      try: async () => {
        await mkdir(dir, { recursive: true, mode: 0o700 })
        return readdir(dir)
      },
      catch: problem(dir),
    })
    if (found.length > 0) return yield* new BadRecording({ problem: `${dir} is not empty: choose another directory` })
  })

const blocksOf = (blocks: ReadonlyArray<number>) => ({
  first_block: blocks.length === 0 ? null : Math.min(...blocks),
  last_block: blocks.length === 0 ? null : Math.max(...blocks),
})

const isBlock = (line: Line): line is Extract<ChainLine, { block: unknown }> => "block" in line

/** Writes a recording to an empty directory. The manifest comes last: without it the recording is not finished. */
export const openRecording = Effect.fnUntraced(function* ({ dir, upstream, maxBytes, clean }: WriterOptions) {
  yield* prepare(dir)
  const startedAt = yield* Clock.currentTimeMillis
  const full = yield* Deferred.make<void>()
  const files = new Map<Source, ReturnType<typeof openFile>>()
  const range = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  let times: readonly [number, number | undefined] | undefined
  let size = 0
  let isClosed = false

  const write = (source: Source, line: Line) => {
    if (isClosed || size >= maxBytes) return
    const text = `${clean(JSON.stringify(line))}\n`
    size += Buffer.byteLength(text)
    if (size >= maxBytes) return Deferred.doneUnsafe(full, Exit.void)
    const file = files.get(source) ?? openFile(join(dir, fileOf(source)))
    files.set(source, file)
    file.write(text)
    if (!isBlock(line)) return
    const number = Number(line.block.number)
    range.first = Math.min(range.first, number)
    range.last = Math.max(range.last, number)
  }

  const finish = (exit: Exit.Exit<unknown, unknown>) =>
    Effect.gen(function* () {
      isClosed = true
      const endedAt = yield* Clock.currentTimeMillis
      const manifest: Manifest = {
        format: formatName,
        version: formatVersion,
        presage: version,
        upstream,
        started_at: times?.[0] ?? startedAt,
        ended_at: times?.[1] ?? endedAt,
        ended: size >= maxBytes ? "size" : Exit.isSuccess(exit) ? "complete" : "stopped",
        ...blocksOf(Number.isFinite(range.first) ? [range.first, range.last] : []),
        files: Object.fromEntries(
          [...files].map(([source, { state }]) => [source, { lines: state.lines, bytes: state.bytes }]),
        ),
      }
      yield* Effect.tryPromise({
        try: async () => {
          await Promise.all([...files.values()].map((file) => file.close()))
          const path = join(dir, manifestFile)
          await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`)
          await rename(`${path}.new`, path)
        },
        catch: problem(dir),
      })
      return manifest
    })

  const writer: RecordingWriter = {
    write,
    full: Deferred.await(full),
    setTimes: (from, to) => {
      times = [from, to]
    },
    counts: () => new Map([...files].map(([source, { state }]) => [source, state])),
  }
  return { writer, finish }
})
