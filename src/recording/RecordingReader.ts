import { createReadStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pipeline, Transform } from "node:stream"
import { createGunzip } from "node:zlib"
import { Effect, Result, Schema } from "effect"
import {
  type AnswerLine,
  AnswerLine as AnswerSchema,
  type AnswerSource,
  answerSources,
  BadRecording,
  type ChainLine,
  ChainLine as ChainSchema,
  type FrameLine,
  FrameLine as FrameSchema,
  type FrameSource,
  fileOf,
  formatName,
  formatVersion,
  frameSources,
  Manifest,
  manifestFile,
  type Source,
  sources,
} from "./model.ts"

/** A whole recording in memory. */
export interface Recording {
  readonly manifest: Manifest
  readonly chain: ReadonlyArray<ChainLine>
  readonly answers: ReadonlyMap<AnswerSource, ReadonlyArray<AnswerLine>>
  readonly frames: ReadonlyMap<FrameSource, ReadonlyArray<FrameLine>>
}

const isSource = (name: string): name is Source => sources.some((source) => source === name)

const bad = (problem: string) => new BadRecording({ problem })

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const readManifest = Effect.fnUntraced(function* (dir: string) {
  const path = join(dir, manifestFile)
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? bad(`${path} is missing: ${dir} is no recording, or one that was not finished`)
        : bad(`${path}: ${reasonOf(error)}`),
  })
  const value = yield* Effect.try({ try: (): unknown => JSON.parse(text), catch: () => bad(`${path} is not JSON`) })
  const { format, version } = Object(value) as { readonly format?: unknown; readonly version?: unknown }
  if (format !== formatName) return yield* bad(`${path}: the format is not ${formatName}`)
  if (version !== formatVersion)
    return yield* bad(
      `${path}: version ${JSON.stringify(version)} of the format; this Presage reads version ${formatVersion}`,
    )
  const manifest = Schema.decodeUnknownResult(Manifest)(value)
  if (Result.isFailure(manifest)) return yield* bad(`${path}: ${manifest.failure.message}`)
  const unknown = Object.keys(Object((value as { readonly files?: unknown }).files)).find((name) => !isSource(name))
  if (unknown !== undefined) return yield* bad(`${path}: ${JSON.stringify(unknown)} is no source of a recording`)
  if (manifest.success.ended_at < manifest.success.started_at) return yield* bad(`${path}: it ends before it starts`)
  return manifest.success
})

/** Ends the stream with an error after more bytes than the manifest names: a small file may decompress to any size. */
const limited = (bytes: number) => {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(left < 0 ? new Error(`more than the ${bytes} bytes in ${manifestFile}`) : null, chunk)
    },
  })
}

/** Decodes the lines of one file. Its name is never taken from the recording. */
const readLines = async <A>(path: string, bytes: number, schema: Schema.Decoder<A>): Promise<ReadonlyArray<A>> => {
  const decode = Schema.decodeUnknownSync(schema)
  const lines: Array<A> = []
  let failure: unknown
  const text = pipeline(createReadStream(path), createGunzip(), limited(bytes), (error) => {
    failure = error ?? undefined
  })
  try {
    for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
      try {
        lines.push(decode(JSON.parse(line)))
      } catch (error) {
        throw new Error(`line ${lines.length + 1}: ${reasonOf(error)}`)
      }
    }
  } catch (error) {
    throw failure ?? error
  }
  if (failure) throw failure
  return lines
}

const read = <A extends { readonly at: number }>(
  dir: string,
  manifest: Manifest,
  source: Source,
  schema: Schema.Decoder<A>,
) =>
  Effect.gen(function* () {
    const expected = manifest.files[source]
    if (expected === undefined) return []
    const path = join(dir, fileOf(source))
    const lines = yield* Effect.tryPromise({
      try: () => readLines(path, expected.bytes, schema),
      catch: (error) => bad(`${path}: ${reasonOf(error)}`),
    })
    if (lines.length !== expected.lines)
      return yield* bad(`${path} is incomplete: ${lines.length} of ${expected.lines} lines`)
    return lines
  })

/** Reads a recording and checks all of it. */
export const readRecording = Effect.fnUntraced(function* (dir: string): Effect.fn.Return<Recording, BadRecording> {
  const manifest = yield* readManifest(dir)
  const chain = yield* read(dir, manifest, "chain", ChainSchema)
  const answers = new Map<AnswerSource, ReadonlyArray<AnswerLine>>()
  for (const source of answerSources) answers.set(source, yield* read(dir, manifest, source, AnswerSchema))
  const frames = new Map<FrameSource, ReadonlyArray<FrameLine>>()
  for (const source of frameSources) frames.set(source, yield* read(dir, manifest, source, FrameSchema))
  return { manifest, chain, answers, frames }
})
