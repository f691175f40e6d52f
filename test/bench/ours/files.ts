import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { Effect, Fiber, Layer, Option, Schedule, Stream } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import type { Fact } from "#src/domain/Fact.ts"
import { checkFiles, isFacts } from "#src/files/checkFiles.ts"
import { exportFacts } from "#src/files/exportFacts.ts"
import { importFacts } from "#src/files/importFacts.ts"
import { showNothing } from "#src/files/model.ts"
import { readRecords } from "#src/files/records.ts"
import { openSource } from "#src/files/source.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { deferIndexes } from "#src/ledger/deferredUpkeep.ts"
import { factKinds, insertFacts } from "#src/ledger/factRows.ts"
import { followChain } from "#src/ledger/follow.ts"
import { type IdLookup, lookupIds } from "#src/ledger/idLookup.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { BulkCopy } from "#src/platform/sql/BulkCopy.ts"
import { copyRows } from "#src/platform/sql/copyRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { rawCopy } from "../rivals/rawCopy.ts"
import { expose } from "../support/expose.ts"
import type { FilesSubject } from "../support/files.ts"
import { configuration } from "./foundation.ts"

const ledgerAt = (url: string) =>
  Layer.mergeAll(Ledger.layer, ChainNode.layer).pipe(
    Layer.provide(leaderboardRollback),
    Layer.provideMerge(Dictionary.layer),
    Layer.provideMerge(Layer.merge(Endpoints.at(url), UpstreamHttp.layer)),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration([])),
  )

const withoutNode = Dictionary.layer.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration([])))

const secondsSince = (since: number) => (performance.now() - since) / 1000

const follow = (head: number) =>
  Effect.gen(function* () {
    const { cursor } = yield* Ledger
    const lease = yield* (yield* Leases).seize("chain-follower")
    const following = yield* Effect.forkChild(followChain(lease))
    const isCaughtUp = Effect.map(
      cursor,
      Option.exists(({ block }) => block >= head),
    )
    yield* Effect.raceFirst(
      Effect.repeat(isCaughtUp, { until: (yes) => yes, schedule: Schedule.spaced("100 millis") }),
      Fiber.join(following),
    )
    yield* Fiber.interrupt(following)
  })

const exportTo = (directory: string) =>
  Effect.gen(function* () {
    const since = performance.now()
    const { parts, tokens, rows } = yield* exportFacts({ to: directory, format: "parquet" })
    const files = [...tokens, ...parts.flatMap((part) => part.files)]
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    return { fills: rows["fill"] ?? 0, seconds: secondsSince(since), bytes }
  })

const fillsIn = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ n: number }>`select count(*)::int as n from fill`
  return row?.n ?? 0
})

const importFrom = (directory: string) =>
  Effect.gen(function* () {
    const before = process.memoryUsage().rss
    let peak = before
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 50)
    const { seconds } = yield* importFacts({ from: directory })
    clearInterval(watching)
    const grownMegabytes = (peak - before) / 1024 / 1024
    return { fills: yield* fillsIn, ...seconds, seconds: seconds.checking + seconds.loading, grownMegabytes }
  })

const readOnly = (directory: string) =>
  Effect.gen(function* () {
    const since = performance.now()
    const source = yield* openSource(directory)
    yield* checkFiles(source, showNothing)
    return { fills: source.manifest.rows["fill"] ?? 0, seconds: secondsSince(since) }
  }).pipe(Effect.scoped)

/** All facts of the files, with their ids. */
const preparedIn = (directory: string) =>
  Effect.gen(function* () {
    const dictionary = yield* Dictionary
    const source = yield* openSource(directory)
    yield* checkFiles(source, showNothing)
    const prepared: Array<{ readonly facts: ReadonlyArray<Fact>; readonly ids: IdLookup }> = []
    for (const part of source.manifest.parts) {
      for (const file of part.files.filter(isFacts)) {
        const batches: Stream.Stream<ReadonlyArray<Fact>, unknown> = readRecords(source, file)
        yield* Stream.runForEach(batches, (facts) =>
          Effect.map(lookupIds(dictionary, facts, []), (ids) => prepared.push({ facts, ids })),
        )
      }
    }
    return { prepared, fills: source.manifest.rows["fill"] ?? 0 }
  }).pipe(Effect.scoped)

const emptyTables = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  yield* tx(deferIndexes(sql))
  yield* sql`truncate ${sql.literal(factKinds.join(", "))}`
  yield* sql`checkpoint`
})

const copyOnly = (directory: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const { prepared, fills } = yield* preparedIn(directory)
    const encoded: Array<{ readonly statement: string; readonly bytes: Buffer }> = []
    const recorder = BulkCopy.of({
      copy: (table, columns, items, context) =>
        Effect.sync(() => {
          if (items.length === 0) return
          const rows = copyRows(columns)
          const bytes = Buffer.concat([rows.header, rows.encode(items, context), rows.trailer])
          encoded.push({ statement: `copy "${table}" (${rows.columns}) from stdin (format binary)`, bytes })
        }),
    })
    for (const { facts, ids } of prepared) {
      yield* Effect.provideService(insertFacts(sql, facts, ids), BulkCopy, recorder)
    }
    yield* emptyTables
    const since = performance.now()
    yield* Effect.promise(() => rawCopy(process.env["DATABASE_URL"] ?? "", encoded))
    return { fills, seconds: secondsSince(since) }
  })

const insertOnly = (directory: string) =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    const { prepared, fills } = yield* preparedIn(directory)
    yield* emptyTables
    const since = performance.now()
    yield* tx(Effect.forEach(prepared, ({ facts, ids }) => insertFacts(sql, facts, ids), { discard: true }))
    return { fills, seconds: secondsSince(since) }
  })

const psqlCopy = (directory: string) =>
  Effect.gen(function* () {
    const fills = yield* fillsIn
    const file = `${directory}.fills.csv`
    const psql = (command: string) =>
      Effect.sync(() => execFileSync("psql", [process.env["DATABASE_URL"] ?? "", "--no-psqlrc", "-q", "-c", command]))
    yield* psql(`\\copy (select * from fill order by block, log_index) to '${file}' csv`)
    yield* emptyTables
    const since = performance.now()
    yield* psql(`\\copy fill from '${file}' csv`)
    const seconds = secondsSince(since)
    yield* Effect.sync(() => rmSync(file))
    return { fills, seconds }
  })

const run = <A>(work: Effect.Effect<A, unknown, Layer.Success<typeof withoutNode>>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, withoutNode))

expose<FilesSubject>({
  follow: (url, head) => Effect.runPromise(Effect.provide(follow(head), ledgerAt(url))),
  exportTo: (directory) => run(exportTo(directory)),
  importFrom: (url, directory) => Effect.runPromise(Effect.provide(importFrom(directory), ledgerAt(url))),
  readOnly: (directory) => run(readOnly(directory)),
  copyOnly: (directory) => run(copyOnly(directory)),
  insertOnly: (directory) => run(insertOnly(directory)),
  psqlCopy: (directory) => run(psqlCopy(directory)),
})
