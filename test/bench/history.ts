import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { FilesSubject } from "./support/files.ts"
import type { Rate } from "./support/ingest.ts"
import { startSubject } from "./support/Subject.ts"
import { BenchStores, temporaryDirectory, withStores } from "./support/stores.ts"
import type { VenueSubject } from "./support/venue.ts"

const fills = process.env["BENCH_SCALE"] === "small" ? 30_000 : 300_000

const perSecond = (rate: Rate) => rate.fills / rate.seconds
const count = (value: number) => value.toLocaleString("en")

const startFiles = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  return yield* startSubject<FilesSubject>("ours/files.ts", environment, "580 seconds")
})

/** A ledger that is exported to files. */
const exported = (url: string, head: number, directory: string) =>
  Effect.gen(function* () {
    const subject = yield* startFiles
    yield* subject.call("follow", url, head)
    return yield* subject.call("exportTo", directory)
  }).pipe(withStores)

/** An empty ledger that the files are imported into, and the cost of each step. */
const imported = (url: string, directory: string) =>
  Effect.gen(function* () {
    const subject = yield* startFiles
    const whole = yield* subject.call("importFrom", url, directory)
    const read = yield* subject.call("readOnly", directory)
    const psql = yield* subject.call("psqlCopy", directory)
    const copied = yield* subject.call("copyOnly", directory)
    const inserted = yield* subject.call("insertOnly", directory)
    return { whole, read, psql, copied, inserted }
  }).pipe(withStores)

/** History from files: export, and import into an empty ledger. */
export const history: Bench = Effect.gen(function* () {
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts", {}, "300 seconds")
  const { port } = yield* venue.call("start", fills < 100_000 ? "small" : "medium")
  const stored = yield* venue.call("store", fills)
  const directory = `${yield* temporaryDirectory}/facts`
  const written = yield* exported(`http://127.0.0.1:${stored.port}`, stored.head - 1_000, directory)
  const { whole, read, psql, copied, inserted } = yield* imported(`http://127.0.0.1:${port}`, directory)
  return {
    lines: [
      {
        what: `import of ${count(whole.fills)} fills from Parquet`,
        unit: "fills/s",
        ours: perSecond(whole),
        alternative: { name: "psql \\copy of CSV, fills only", value: perSecond(psql) },
        limit: { name: "COPY of encoded rows", value: perSecond(copied) },
        ratio: { to: "COPY", value: perSecond(whole) / perSecond(copied) },
        goal: { least: 50_000 },
      },
      { what: "  reading and checking the files alone", unit: "fills/s", ours: perSecond(read) },
      { what: "  the same rows with INSERT … unnest", unit: "fills/s", ours: perSecond(inserted) },
      { what: "  maximum memory growth", unit: "MB", ours: whole.grownMegabytes, goal: { most: 500 } },
      { what: "positions of the imported history", unit: "fills/s", ours: whole.fills / whole.positions },
      { what: `export of ${count(written.fills)} fills to Parquet`, unit: "fills/s", ours: perSecond(written) },
      { what: "  size of the files, all facts", unit: "bytes/fill", ours: written.bytes / written.fills },
    ],
    notes: [
      "import: checksums, every value checked, blocks compared with the node, ids, COPY, and the indexes; positions come after it",
      "psql and COPY: rows that have their ids already, into the same emptied tables without the indexes",
    ],
    rounds: { written, whole, read, psql, copied, inserted },
  }
})
