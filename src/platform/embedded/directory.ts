import { createHash, randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { realpath } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Option, Redacted, Schema } from "effect"
import { withFileLock } from "./fileLock.ts"
import { isRoot } from "./identity.ts"
import { explainDirectory, makeDirectory } from "./makeDirectory.ts"
import { fromFileError, type Store, type StoreUnavailable } from "./StoreUnavailable.ts"

const maxLogBytes = 10_000_000

export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 24)

/** The directory of the embedded stores. */
export interface Directory {
  readonly path: string
  readonly file: (...names: ReadonlyArray<string>) => string
}

const at = (path: string): Directory => ({ path, file: (...names) => join(path, ...names) })

/** Creates the directory; as root, traversable (not readable) for the user that runs Postgres. */
export const openDirectory = (given: string): Effect.Effect<Directory, StoreUnavailable> =>
  Effect.suspend(() => {
    const path = resolve(given)
    return Effect.tryPromise({
      try: async () => {
        await makeDirectory(path, isRoot ? 0o711 : 0o700)
        const real = await realpath(path)
        await makeDirectory(join(real, "logs"), 0o700)
        return at(real)
      },
      catch: explainDirectory(path),
    })
  })

export const findDirectory = (path: string): Effect.Effect<Option.Option<Directory>> =>
  Effect.promise(() =>
    realpath(path).then(
      (real) => Option.some(at(real)),
      () => Option.none(),
    ),
  )

/** Files that root creates in a user's directory belong to that user. */
const chownToOwnerOf = (dir: string, path: string) => {
  if (!isRoot) return
  const { uid, gid } = statSync(dir)
  chownSync(path, uid, gid)
}

export const writeAtomically = (dir: Directory, name: string, text: string) => {
  const draft = dir.file(`${name}.${process.pid}.draft`)
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  chownToOwnerOf(dir.path, draft)
  renameSync(draft, dir.file(name))
}

const secretsFile = "secrets.json"
/** Permissions of users other than the owner and the group. */
const othersMode = 0o007
const decodeFile = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** All secrets in the file; empty when there is none. */
const loadFile = (dir: Directory): Readonly<Record<string, string>> => {
  const path = dir.file(secretsFile)
  if (!existsSync(path)) return {}
  return Option.getOrThrowWith(
    decodeFile(readFileSync(path, "utf8")),
    () => new Error("is damaged: restore it from a backup, or delete it and lose every API key"),
  )
}

const explain = (dir: Directory) => fromFileError("directory", dir.file(secretsFile))

/** Takes the file from other users who may read or write it; the warning to log, if that was so. */
const protectFile = (path: string): string | undefined => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & othersMode) === 0) return undefined
  try {
    chmodSync(path, 0o600)
    return `${path} was accessible to every user of this machine, and is no longer. If others may have read it, make new keys.`
  } catch {
    return `${path} is accessible to every user of this machine, and this user may not change that: run chmod 600 on it.`
  }
}

/** All secrets in the file. */
export const findSecrets = (dir: Directory) =>
  Effect.gen(function* () {
    const warning = protectFile(dir.file(secretsFile))
    if (warning !== undefined) yield* Effect.logWarning(warning)
    return yield* Effect.try({ try: () => loadFile(dir), catch: explain(dir) })
  })

/**
 * Returns the named secrets and creates missing ones; other secrets stay. Concurrent processes agree on the result. Writes
 * nothing when nothing is missing, so the directory may be read-only.
 */
export const ensureFields = <K extends string>(
  dir: Directory,
  makers: Readonly<Record<K, () => string>>,
): Effect.Effect<Readonly<Record<K, string>>, StoreUnavailable> => {
  const isComplete = (held: Readonly<Record<string, string>>): held is Record<K, string> =>
    Object.keys(makers).every((name) => held[name] !== undefined)
  const complete = (): Readonly<Record<K, string>> => {
    const held = loadFile(dir)
    if (isComplete(held)) return held
    const made = (Object.entries(makers) as Array<[K, () => string]>).map(([name, make]) => [
      name,
      held[name] ?? make(),
    ])
    const all: Record<K, string> = { ...held, ...Object.fromEntries(made) }
    writeAtomically(dir, secretsFile, `${JSON.stringify(all)}\n`)
    return all
  }
  return Effect.flatMap(findSecrets(dir), (held) =>
    isComplete(held)
      ? Effect.succeed(held)
      : Effect.mapError(withFileLock(dir.file(`${secretsFile}.lock`), complete), explain(dir)),
  )
}

/** Credentials of the embedded stores. */
export interface Secrets {
  readonly postgres: Redacted.Redacted<string>
  readonly redis: Redacted.Redacted<string>
  /** Proves to joining processes that the socket belongs to the owner. */
  readonly owner: Redacted.Redacted<string>
}

const redactSecrets = ({ postgres, redis, owner }: Readonly<Record<keyof Secrets, string>>): Secrets => ({
  postgres: Redacted.make(postgres),
  redis: Redacted.make(redis),
  owner: Redacted.make(owner),
})

export const readSecrets = (dir: Directory): Effect.Effect<Option.Option<Secrets>, StoreUnavailable> =>
  Effect.map(findSecrets(dir), ({ postgres, redis, owner }) =>
    postgres === undefined || redis === undefined || owner === undefined
      ? Option.none()
      : Option.some(redactSecrets({ postgres, redis, owner })),
  )

const secret = () => randomBytes(24).toString("hex")

export const ensureSecrets = (dir: Directory): Effect.Effect<Secrets, StoreUnavailable> =>
  Effect.map(ensureFields(dir, { postgres: secret, redis: secret, owner: secret }), redactSecrets)

export const logSize = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

export const rotateLog = (store: Store, path: string) =>
  Effect.try({
    try: () => {
      if (logSize(path) > maxLogBytes) renameSync(path, `${path}.1`)
    },
    catch: fromFileError(store, path),
  })

export const readLogFrom = (path: string, position: number) => {
  const file = openSync(path, "r")
  try {
    const text = Buffer.alloc(Math.min(100_000, Math.max(0, logSize(path) - position)))
    readSync(file, text, 0, text.length, position)
    return text.toString("utf8")
  } finally {
    closeSync(file)
  }
}
