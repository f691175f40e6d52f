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

/** All of the world's history, or the later half of it, which ends at the same block. */
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

const startLedger = Effect.fnUntraced(function* (extent: Extent) {
  const environment = yield* storesIn(join(folder, extent), false)
  return yield* startSubject<LedgerSubject>("ours/ledger.ts", { ...environment, ...settings }, patience)
})

/** As the follower reads it from the simulated venue, and the live blocks that come next. */
const makeWhole = Effect.gen(function* () {
  say(`making a ledger of ${scale} in ${folder}, which is kept and used again; this takes a while`)
  const genesis = usable("whole")?.genesis ?? Math.floor(Date.now() / 1000) * 1000
  mkdirSync(join(folder, "whole"), { recursive: true })
  const migrations = fingerprintOf(migrationFiles().length)
  writeMade("whole", { genesis, migrations, unfinished: true })
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts", {}, patience)
  const { port, head } = yield* venue.ask("startAt", scale, genesis)
  const url = `http://127.0.0.1:${port}`
  say(`the venue has ${scales[scale].fills} filled orders up to block ${head}`)
  const ledger = yield* startLedger("whole")
  yield* ledger.ask("follow", url, head)
  yield* ledger.ask("catalogue", url, genesis)
  yield* ledger.ask("settle")
  const last = yield* venue.ask("advance", nextMillis)
  yield* ledger.ask("keepBlocks", url, head + 1, last, nextBlocksFile)
  writeMade("whole", { genesis, migrations })
}).pipe(Effect.scoped)

const makeHalf = Effect.gen(function* () {
  say(`making half of it in ${folder}`)
  const whole = usable("whole")
  if (whole === undefined) return
  const [from, to] = [join(folder, "whole"), join(folder, "half")]
  rmSync(to, { recursive: true, force: true })
  // Files of Postgres keep their owner.
  execFileSync("cp", ["-a", from, to])
  writeMade("half", { ...whole, unfinished: true })
  yield* (yield* startLedger("half")).ask("halve")
  writeMade("half", whole)
}).pipe(Effect.scoped)

const isDone = (extent: Extent) => {
  const found = usable(extent)
  return found !== undefined && found.unfinished !== true
}

/** The ledgers that are not there yet are made. */
export const ensureLedgers = Effect.fnUntraced(function* (extents: ReadonlyArray<Extent>) {
  if (!isDone("whole")) yield* makeWhole
  if (extents.includes("half") && !isDone("half")) yield* makeHalf
})

/** Stores with a large ledger in Postgres, set up as in production; Redis is empty. */
export const openLedger = Effect.fnUntraced(function* (extent: Extent) {
  yield* ensureLedgers([extent])
  const environment = yield* storesIn(join(folder, extent), true)
  return { environment, genesis: readMade(extent)?.genesis ?? 0, scale }
})
