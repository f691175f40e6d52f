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

/** All of the world's history, or the later half of it: a ledger that begins in the middle and ends at the same block. */
export type Extent = "whole" | "half"

const root = join(import.meta.dirname, "../../..")
/** An unfinished one was broken off, and goes on where it was. */
const made = Schema.fromJsonString(
  Schema.Struct({ genesis: Schema.Int, migrations: Schema.String, unfinished: Schema.optionalKey(Schema.Boolean) }),
)

const scale = Schema.decodeUnknownSync(Schema.Literals(["tiny", "small", "medium", "large"]))(
  process.env["BENCH_SCALE"] ?? "large",
) satisfies ScaleName
const kept = process.env["BENCH_LEDGERS"] ?? join(root, ".presage", "bench-ledgers")
const folder = join(kept, scale)
export const nextBlocksFile = join(folder, "next-blocks")

/** Live blocks that are kept beside the ledger to go on with. */
const nextMillis = 300_000

const say = (text: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

const migrationFiles = () => readdirSync(join(root, "migrations")).filter((name) => /^\d/.test(name))

/** Of the first migrations, as many as there were; later ones are applied when the ledger is opened. */
const fingerprintOf = (count: number) => {
  const hash = createHash("sha256")
  for (const name of migrationFiles().slice(0, count)) hash.update(readFileSync(join(root, "migrations", name)))
  return `${count} ${hash.digest("hex")}`
}

const readMade = (extent: Extent) => {
  const file = join(folder, extent, "made.json")
  return existsSync(file) ? Schema.decodeUnknownSync(made)(readFileSync(file, "utf8")) : undefined
}

const writeMade = (extent: Extent, value: (typeof made)["Type"]) =>
  writeFileSync(join(folder, extent, "made.json"), Schema.encodeSync(made)(value))

/** Nobody's hour is thrown away without being asked. */
const usable = (extent: Extent) => {
  const found = readMade(extent)
  if (found === undefined || fingerprintOf(Number(found.migrations.split(" ")[0])) === found.migrations) return found
  throw new Error(`${join(folder, extent)} was made by other migrations than there are now: remove it to make it anew`)
}

const storesIn = (dir: string, durable: boolean) =>
  Effect.gen(function* () {
    const redis = yield* startRedis({ dir: yield* temporaryDirectory })
    const postgres = yield* startPostgres({ dir, durable })
    return environmentOf(Redacted.value(postgres.url), Redacted.value(redis.url))
  })

const patience = "3 hours"

/** A machine that has other things to do may be slow, and large statements take their time. */
const settings = {
  EVENT_LOG_RETENTION: "1d",
  CATALOGUE_CLOSED_WINDOW: "200d",
  CATALOGUE_PAGE: "500",
  POSTGRES_STATEMENT_TIMEOUT: "2m",
  POSTGRES_EXPORT_TIMEOUT: "30m",
}

interface Venue {
  readonly url: string
  readonly head: number
  readonly genesis: number
}

const make = Effect.fnUntraced(function* (extent: Extent, { url, head, genesis }: Venue) {
  const dir = join(folder, extent)
  if (usable(extent)?.genesis !== genesis) rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const migrations = fingerprintOf(migrationFiles().length)
  writeMade(extent, { genesis, migrations, unfinished: true })
  const environment = yield* storesIn(dir, false)
  const ledger = yield* startSubject<LedgerSubject>("ours/ledger.ts", { ...environment, ...settings }, patience)
  yield* ledger.ask("follow", url, head, extent === "whole" ? 1 : 0.5)
  yield* ledger.ask("catalogue", url, genesis)
  yield* ledger.ask("settle")
  writeMade(extent, { genesis, migrations })
}, Effect.scoped)

/** All of them end at the same block, so that the blocks that come next are the same. */
const build = Effect.fnUntraced(function* (extents: ReadonlyArray<Extent>) {
  say(`making ${extents.join(" and ")} of ${scale} in ${folder}, which is kept and used again; this takes a while`)
  const known = usable("whole") ?? usable("half")
  const genesis = known?.genesis ?? Math.floor(Date.now() / 1000) * 1000
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts", {}, patience)
  const { port, head } = yield* venue.ask("startAt", scale, genesis)
  const url = `http://127.0.0.1:${port}`
  say(`the venue has ${scales[scale].fills} filled orders up to block ${head}`)
  for (const extent of extents) yield* make(extent, { url, head, genesis })
  const last = yield* venue.ask("advance", nextMillis)
  const reader = yield* startSubject<LedgerSubject>("ours/ledger.ts", {}, patience)
  yield* reader.ask("keepBlocks", url, head + 1, last, nextBlocksFile)
}, Effect.scoped)

/** The ledgers that are not there yet, or were made by other migrations, are made. */
export const ensureLedgers = Effect.fnUntraced(function* (extents: ReadonlyArray<Extent>) {
  const isDone = (found: ReturnType<typeof usable>) => found !== undefined && found.unfinished !== true
  const missing = extents.filter((extent) => !isDone(usable(extent)))
  if (missing.length > 0) yield* build(missing)
})

/** Stores with a large ledger in Postgres, set up as in production; Redis is empty. */
export const openLedger = Effect.fnUntraced(function* (extent: Extent) {
  yield* ensureLedgers([extent])
  const environment = yield* storesIn(join(folder, extent), true)
  return { environment, genesis: readMade(extent)?.genesis ?? 0, scale }
})
