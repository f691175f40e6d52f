import { mkdir, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, sep } from "node:path"
import { Effect } from "effect"
import { download } from "./download.ts"
import { type ManifestFile, parseManifest } from "./manifest.ts"
import { FilesRefused, FilesUnavailable } from "./model.ts"
import { type Remote, remoteOf } from "./remote.ts"
import { checksumOf } from "./tables.ts"

const manifestName = "manifest.json"
const maxManifestBytes = 256 << 20

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

const fromRemote =
  (remote: Remote, directory: string): Locate =>
  (path, bytes) =>
    Effect.gen(function* () {
      const target = join(directory, path)
      yield* Effect.promise(() => mkdir(dirname(target), { recursive: true }))
      yield* download({ remote, path, target, bytes, isExact: true })
      return target
    })

const fetchManifest = (remote: Remote, directory: string) => {
  const target = join(directory, manifestName)
  return Effect.as(download({ remote, path: manifestName, target, bytes: maxManifestBytes, isExact: false }), target)
}

const readText = (path: string) => Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: reasonOf })

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "presage-import-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true })),
)

/** Opens a directory of files, or one on a web server or in a bucket: its files are downloaded to a temporary directory. */
export const openSource = Effect.fnUntraced(function* (from: string) {
  const remote = yield* remoteOf(from)
  const directory = remote === undefined ? from : yield* temporaryDirectory
  const file = remote === undefined ? join(from, manifestName) : yield* fetchManifest(remote, directory)
  const text = yield* Effect.mapError(
    readText(file),
    (reason) =>
      new FilesRefused({
        reason: `cannot read ${manifestName} in ${from}: ${reason}. --from is a directory that 'presage export' wrote, or the address of one (http://, https:// or s3://)`,
      }),
  )
  const manifest = yield* parseManifest(text, `${manifestName} in ${from}`)
  const locate = remote === undefined ? inDirectory(directory) : fromRemote(remote, directory)
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
