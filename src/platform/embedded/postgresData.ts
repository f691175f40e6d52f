import { createHash, randomBytes } from "node:crypto"
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Directory } from "./directory.ts"
import { type Runner, serverEnvironment } from "./identity.ts"
import type { PostgresBinaries } from "./postgresBinaries.ts"
import { run } from "./processes.ts"
import { fromFileError, StoreUnavailable } from "./StoreUnavailable.ts"

export const user = "presage"
export const database = "presage"

export interface DataOptions {
  readonly dir: Directory
  readonly binaries: PostgresBinaries
  readonly runner: Runner
  readonly password: Redacted.Redacted<string>
  readonly durable: boolean
}

const unavailable = (message: string) => new StoreUnavailable({ store: "postgres", message })

const files = <A>(path: string, body: () => A) => Effect.try({ try: body, catch: fromFileError("postgres", path) })

const execute = Effect.fnUntraced(function* (options: DataOptions, command: ReadonlyArray<string>, input = "") {
  const { prefix, ...credentials } = options.runner.identity
  const finished = yield* run([...prefix, ...command], { input, env: serverEnvironment(), ...credentials })
  // In single-user mode Postgres reports a failed statement and still exits with code 0.
  if (finished.code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(finished.output)) return
  const output = finished.output.trim()
  if (/No space left on device|Disk quota exceeded/i.test(output))
    return yield* unavailable(`The disk is full: free some space for ${options.dir.path} and start again.`)
  const reason = output.split("\n").findLast((line) => /error|fatal|panic|not found/i.test(line)) ?? output.slice(-300)
  return yield* unavailable(
    `Cannot set up Postgres in ${options.dir.path} (${reason.trim() || `exit code ${finished.code}`}). Alternatively, set DATABASE_URL to a Postgres you run.`,
  )
})

/** Statements as superuser without a running server. */
const singleUser = (options: DataOptions, dataDir: string, statement: string) =>
  execute(
    options,
    [options.binaries.postgres, "--single", "-D", dataDir, "-c", "log_min_messages=error", "postgres"],
    `${statement}\n`,
  )

const fingerprint = (password: Redacted.Redacted<string>) =>
  createHash("sha256").update(Redacted.value(password)).digest("hex")
const fingerprintFile = "presage.fingerprint"

const writeAs = (runner: Runner, path: string, text: string) => {
  writeFileSync(path, text, { mode: 0o600 })
  if (runner.owner !== undefined) chownSync(path, runner.owner.uid, runner.owner.gid)
}

const syncFolder = (path: string) =>
  Effect.promise(async () => {
    const folder = await open(path, "r")
    await folder.sync().finally(() => folder.close())
  })

/** Creates the data under another name and renames it when complete, so that an interruption leaves no partial database. */
const initialise = Effect.fnUntraced(function* (options: DataOptions) {
  const { dir, runner, password } = options
  const draft = dir.file(`postgres.draft-${randomBytes(4).toString("hex")}`)
  const passwordFile = `${draft}.password`
  yield* files(draft, () => {
    mkdirSync(draft, { mode: 0o700 })
    if (runner.owner !== undefined) chownSync(draft, runner.owner.uid, runner.owner.gid)
    writeAs(runner, passwordFile, Redacted.value(password))
  })
  const settings = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
  yield* execute(options, [
    options.binaries.initdb,
    `--pgdata=${draft}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    "--builtin-locale=C.UTF-8",
    ...settings,
    ...(options.durable ? [] : ["--no-sync"]),
  ])
  yield* singleUser(options, draft, `CREATE DATABASE ${database};`)
  yield* files(draft, () => {
    rmSync(passwordFile)
    writeAs(runner, join(draft, fingerprintFile), fingerprint(password))
    renameSync(draft, dir.file("postgres"))
  })
  if (options.durable) yield* syncFolder(dir.path)
})

/** Creates the data directory, or checks that this Postgres can use it. */
export const ensureData = Effect.fnUntraced(function* (
  options: DataOptions,
): Effect.fn.Return<string, StoreUnavailable> {
  const { dir, binaries } = options
  const dataDir = dir.file("postgres")
  const isNew = yield* files(dir.path, () => {
    for (const name of readdirSync(dir.path).filter((each) => each.startsWith("postgres.draft-")))
      rmSync(dir.file(name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    if (!existsSync(dataDir)) return true
    if (readdirSync(dataDir).length > 0) return false
    rmSync(dataDir, { recursive: true })
    return true
  })
  if (isNew) {
    yield* initialise(options)
    return dataDir
  }
  if (!existsSync(join(dataDir, "PG_VERSION")))
    return yield* unavailable(`${dataDir} contains something other than a database: move it away and start again.`)
  const major = yield* files(dataDir, () => readFileSync(join(dataDir, "PG_VERSION"), "utf8").trim())
  if (major !== binaries.major)
    return yield* unavailable(
      `${dataDir} was created by Postgres ${major}, this is Postgres ${binaries.major}: move it away to start from scratch, or set DATABASE_URL to a Postgres ${major} that serves it.`,
    )
  return dataDir
})

/** Changes the database password when secrets.json was lost and recreated. */
export const ensurePassword = Effect.fnUntraced(function* (options: DataOptions, dataDir: string) {
  const file = join(dataDir, fingerprintFile)
  const expected = fingerprint(options.password)
  const known = yield* files(file, () => (existsSync(file) ? readFileSync(file, "utf8") : ""))
  if (known === expected) return
  yield* singleUser(options, dataDir, `ALTER ROLE ${user} PASSWORD '${Redacted.value(options.password)}';`)
  yield* files(file, () => writeAs(options.runner, file, expected))
})
