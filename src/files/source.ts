import { createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, sep } from "node:path"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Schedule } from "effect"
import { type ManifestFile, parseManifest } from "./manifest.ts"
import { FilesRefused, FilesUnavailable } from "./model.ts"
import { checksumOf } from "./tables.ts"

const maxManifestBytes = 256 << 20
const answerWithin = 30_000
const downloadAttempts = 3

/** Brings a file of the manifest to this machine and returns where it is. */
type Locate = (path: string, bytes: number) => Effect.Effect<string, FilesRefused | FilesUnavailable>

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** No file outside of the directory, also through a link. */
const inDirectory =
  (directory: string): Locate =>
  (path) =>
    Effect.gen(function* () {
      const missing = new FilesRefused({
        reason: `${directory} has no file ${path}, which its manifest names: copy the whole directory again`,
      })
      const found = yield* Effect.tryPromise({
        try: async () => [await realpath(directory), await realpath(join(directory, path))] as const,
        catch: () => missing,
      })
      if (!found[1].startsWith(`${found[0]}${sep}`)) {
        return yield* new FilesRefused({ reason: `${path} leads out of ${directory}: it must be a file within it` })
      }
      return found[1]
    })

const fetchFile = async (url: URL) => {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerWithin) })
  if (!response.ok || response.body === null) throw new Error(`${url.href} answers ${response.status}`)
  return response.body
}

/** Stops a body that is longer than announced. */
const atMost = (bytes: number) => {
  let left = bytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      done(left < 0 ? new Error(`the file is longer than the ${bytes} bytes of its manifest`) : null, chunk)
    },
  })
}

const fromUrl =
  (base: URL, directory: string): Locate =>
  (path, bytes) => {
    const target = join(directory, path)
    const download = Effect.tryPromise({
      try: async () => {
        await mkdir(dirname(target), { recursive: true })
        const response = await fetch(new URL(path, base))
        if (!response.ok || response.body === null) throw new Error(`it answers ${response.status}`)
        await pipeline(Readable.fromWeb(response.body as never), atMost(bytes), createWriteStream(target))
        return target
      },
      catch: (error) =>
        new FilesUnavailable({ reason: `cannot download ${new URL(path, base).href}: ${reasonOf(error)}` }),
    })
    return Effect.retry(download, { times: downloadAttempts - 1, schedule: Schedule.exponential("1 second") })
  }

const readText = (from: string, base: URL | undefined) =>
  Effect.tryPromise({
    try: async () => {
      if (base === undefined) return await readFile(join(from, "manifest.json"), "utf8")
      const parts: Array<Uint8Array> = []
      const limited = Readable.fromWeb((await fetchFile(new URL("manifest.json", base))) as never).pipe(
        atMost(maxManifestBytes),
      )
      for await (const part of limited) parts.push(part as Uint8Array)
      return Buffer.concat(parts).toString("utf8")
    },
    catch: (error) =>
      new FilesRefused({
        reason: `cannot read manifest.json in ${from}: ${reasonOf(error)}. --from is a directory that 'presage export' wrote, or its http(s) address`,
      }),
  })

/** Opens a directory of files, or one that a web server serves: its files are downloaded to a temporary directory. */
export const openSource = Effect.fnUntraced(function* (from: string) {
  const base = /^https?:\/\//.test(from) ? new URL(from.endsWith("/") ? from : `${from}/`) : undefined
  const manifest = yield* parseManifest(yield* readText(from, base), `manifest.json in ${from}`)
  const locate =
    base === undefined
      ? inDirectory(from)
      : fromUrl(
          base,
          yield* Effect.acquireRelease(
            Effect.promise(() => mkdtemp(join(tmpdir(), "presage-import-"))),
            (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true })),
          ),
        )
  const located = new Map<string, string>()

  /** Brings a file here and compares its length and checksum. */
  const check = Effect.fnUntraced(function* ({ path, bytes, sha256 }: ManifestFile) {
    const local = yield* locate(path, bytes)
    const [size, found] = yield* Effect.tryPromise({
      try: async () => [(await stat(local)).size, await checksumOf(local)] as const,
      catch: (error) => new FilesUnavailable({ reason: `cannot read ${path}: ${reasonOf(error)}` }),
    })
    if (size !== bytes || found !== sha256) {
      return yield* new FilesRefused({
        reason: `${path} is not the file of the manifest: it has ${size} bytes and SHA-256 ${found.slice(0, 12)}… instead of ${bytes} bytes and ${sha256.slice(0, 12)}…. Copy the directory again`,
      })
    }
    located.set(path, local)
  })

  /** Where a checked file is. */
  const pathOf = ({ path }: ManifestFile): string => {
    const local = located.get(path)
    if (local === undefined) throw new Error(`${path} has not been checked`)
    return local
  }
  return { manifest, check, pathOf }
})

export type FileSource = Effect.Success<ReturnType<typeof openSource>>
