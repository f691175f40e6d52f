import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted, Schema } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import { type ScaleName, scales } from "#src/simulator/world/scale.ts"
import type { LedgerSubject } from "./ledger.ts"
import { startSubject } from "./Subject.ts"
import { environmentOf, temporaryDirectory } from "./stores.ts"
import type { VenueSubject } from "./venue.ts"

/** The whole history of the world, or its later half, which ends at the same block. */
export type Extent = "whole" | "half"

const root = join(import.meta.dirname, "../../..")
/** The manifest of a ledger. An unfinished ledger was interrupted and is continued. */
const Manifest = Schema.fromJsonString(
  Schema.Struct({ genesis: Schema.Int, migrations: Schema.String, unfinished: Schema.optionalKey(Schema.Boolean) }),
)

const scale = Schema.decodeUnknownSync(Schema.Literals(["tiny", "small", "medium", "large"]))(
  process.env["BENCH_SCALE"] ?? "large",
) satisfies ScaleName
const ledgersFolder = process.env["BENCH_LEDGERS"] ?? join(root, ".presage", "bench-ledgers")
const folder = join(ledgersFolder, scale)
export const nextBlocksFile = join(folder, "next-blocks")

/** Duration of the live blocks that are stored beside the ledger, to be appended by benches. */
const nextMillis = 300_000

const print = (text: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

const migrationFiles = () => readdirSync(join(root, "migrations")).filter((name) => /^\d/.test(name))

/** Hash of the first `count` migrations. Later ones are applied when the ledger is opened. */
const fingerprintOf = (count: number) => {
  const hash = createHash("sha256")
  for (const name of migrationFiles().slice(0, count)) hash.update(readFileSync(join(root, "migrations", name)))
  return `${count} ${hash.digest("hex")}`
}

const readManifest = (extent: Extent) => {
  const file = join(folder, extent, "made.json")
  return existsSync(file) ? Schema.decodeUnknownSync(Manifest)(readFileSync(file, "utf8")) : undefined
}

const writeManifest = (extent: Extent, value: (typeof Manifest)["Type"]) =>
  writeFileSync(join(folder, extent, "made.json"), Schema.encodeSync(Manifest)(value))

/** Fails instead of deleting an outdated ledger, which may take an hour to build. */
const compatibleManifest = (extent: Extent) => {
  const found = readManifest(extent)
  if (found === undefined || fingerprintOf(Number(found.migrations.split(" ")[0])) === found.migrations) return found
  throw new Error(`${join(folder, extent)} was built with different migrations: remove it to rebuild it`)
}

const storesIn = (dir: string, durable: boolean, config: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const redis = yield* startRedis({ dir: yield* temporaryDirectory })
    const postgres = yield* startPostgres({ dir, durable, config })
    return environmentOf(Redacted.value(postgres.url), Redacted.value(redis.url))
  })

const timeout = "3 hours"

/** Generous timeouts for a busy machine and large statements. */
const settings = {
  EVENT_LOG_RETENTION: "1d",
  CATALOGUE_CLOSED_WINDOW: "200d",
  CATALOGUE_PAGE: "500",
  POSTGRES_STATEMENT_TIMEOUT: "2m",
  POSTGRES_EXPORT_TIMEOUT: "30m",
}

const startLedger = Effect.fnUntraced(function* (extent: Extent) {
  const environment = yield* storesIn(join(folder, extent), false)
  return yield* startSubject<LedgerSubject>("ours/ledger.ts", { ...environment, ...settings }, timeout)
})

/** Ingests the history from the simulated venue, and stores the live blocks that follow. */
const buildWhole = Effect.gen(function* () {
  print(`building a ${scale} ledger in ${folder}, which is reused by later runs; this takes a while`)
  const genesis = compatibleManifest("whole")?.genesis ?? Math.floor(Date.now() / 1000) * 1000
  mkdirSync(join(folder, "whole"), { recursive: true })
  const migrations = fingerprintOf(migrationFiles().length)
  writeManifest("whole", { genesis, migrations, unfinished: true })
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts", {}, timeout)
  const { port, head } = yield* venue.call("startAt", scale, genesis)
  const url = `http://127.0.0.1:${port}`
  print(`the venue has ${scales[scale].fills} filled orders up to block ${head}`)
  const ledger = yield* startLedger("whole")
  yield* ledger.call("follow", url, head)
  yield* ledger.call("catalogue", url, genesis)
  yield* ledger.call("vacuum")
  const last = yield* venue.call("advance", nextMillis)
  yield* ledger.call("saveBlocks", url, head + 1, last, nextBlocksFile)
  writeManifest("whole", { genesis, migrations })
}).pipe(Effect.scoped)

const buildHalf = Effect.gen(function* () {
  print(`building the half ledger in ${folder}`)
  const whole = compatibleManifest("whole")
  if (whole === undefined) return
  const [from, to] = [join(folder, "whole"), join(folder, "half")]
  rmSync(to, { recursive: true, force: true })
  // Preserves the owner of Postgres's files.
  execFileSync("cp", ["-a", from, to])
  writeManifest("half", { ...whole, unfinished: true })
  yield* (yield* startLedger("half")).call("halve")
  writeManifest("half", whole)
}).pipe(Effect.scoped)

const isDone = (extent: Extent) => {
  const found = compatibleManifest(extent)
  return found !== undefined && found.unfinished !== true
}

/** Builds missing ledgers. */
export const ensureLedgers = Effect.fnUntraced(function* (extents: ReadonlyArray<Extent>) {
  if (!isDone("whole")) yield* buildWhole
  if (extents.includes("half") && !isDone("half")) yield* buildHalf
})

/** Stores configured as in production, with a large ledger in Postgres and an empty Redis. `config` is for Postgres. */
export const openLedger = Effect.fnUntraced(function* (extent: Extent, config?: Readonly<Record<string, string>>) {
  yield* ensureLedgers([extent])
  const environment = yield* storesIn(join(folder, extent), true, config)
  return { environment, genesis: readManifest(extent)?.genesis ?? 0, scale, dir: join(folder, extent) }
})
