import { writeFileSync } from "node:fs"
import { serialize } from "node:v8"
import { Clock, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { recentBatch } from "#src/ledger/batches.ts"
import { factTables } from "#src/ledger/factRows.ts"
import { followChain } from "#src/ledger/follow.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { expose } from "../support/expose.ts"
import type { LedgerSubject } from "../support/ledger.ts"
import { configuration } from "./foundation.ts"

const upstreamsAt = (url: string) => Layer.merge(Endpoints.at(url), UpstreamHttp.layer)

const stores = foundation.pipe(Layer.provideMerge(configuration([])))

const ledgerAt = (url: string) =>
  Layer.mergeAll(Ledger.layer, ChainNode.layer, Gamma.layer).pipe(
    Layer.provide(leaderboardRollback),
    Layer.provideMerge(Dictionary.layer),
    Layer.provideMerge(upstreamsAt(url)),
    Layer.provideMerge(stores),
  )

const print = (text: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)}   ${text}\n`)

const counted = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ fills: number; deferred: number }>`
    select (select sum(n_tup_ins)::float8 from pg_stat_user_tables where relname like 'fill%') as fills,
      (select count(*)::int from deferred_index) as deferred`
  return { fills: row?.fills ?? 0, deferred: row?.deferred ?? 0 }
})

/** Follows the chain until the block is reached and all deferred indexes are built. */
const follow = (head: number) =>
  Effect.gen(function* () {
    const store = yield* Ledger
    const leases = yield* Leases
    // Retries like an actor: on a busy machine, a connection may be lost to an idle timeout.
    const following = yield* Effect.flatMap(leases.seize("chain-follower"), followChain).pipe(
      Effect.tapError((error) => Effect.sync(() => print(`follower restarts: ${describe(error)}`))),
      Effect.retry({ schedule: Schedule.spaced("2 seconds"), times: 20 }),
      Effect.forkChild,
    )
    const isCaughtUp = Effect.gen(function* () {
      const cursor = yield* store.cursor
      return Option.isSome(cursor) && cursor.value.block >= head && (yield* counted).deferred === 0
    })
    const progress = Effect.gen(function* () {
      const cursor = yield* store.cursor
      const { fills, deferred } = yield* counted
      const block = Option.isSome(cursor) ? cursor.value.block : 0
      print(`${fills.toLocaleString("en")} fills, block ${block} of ${head}, ${deferred} indexes to build`)
    })
    yield* Effect.forkChild(Effect.repeat(progress, Schedule.spaced("20 seconds")))
    yield* Effect.raceFirst(
      Effect.repeat(isCaughtUp, { until: (yes) => yes, schedule: Schedule.spaced("1 second") }),
      Fiber.join(following),
    )
    yield* progress
    yield* Fiber.interrupt(following)
  })

const catalogue = Effect.gen(function* () {
  const { tx, sql } = yield* Postgres
  const loader = yield* catalogueLoader(tx)
  print("catalogue: open markets")
  yield* loader.references
  yield* loader.sweep
  print("catalogue: closed markets")
  yield* loader.closings
  const unnamed = Effect.gen(function* () {
    const [row] = yield* sql<{ n: number }>`
      select count(*)::int as n from token t
      where not exists (select 1 from market m where m.condition = t.condition)
        and not exists (select 1 from token_unlisted u where u.token = t.id)`
    return row?.n ?? 0
  })
  for (let left = yield* unnamed; left > 0; left = yield* unnamed) {
    print(`catalogue: ${left} tokens known only from fills`)
    yield* loader.mentionedTokens
  }
})

const vacuum = Effect.gen(function* () {
  const { exports } = yield* Postgres
  print("vacuum and analyze")
  yield* exports`vacuum (analyze)`
  yield* exports`checkpoint`
})

const halve = Effect.gen(function* () {
  const { exports } = yield* Postgres
  const [middle] = yield* exports<{ block: number; at: Date }>`
    select block, to_timestamp(at) as at from fill order by fill.at offset (select count(*) / 2 from fill) limit 1`
  if (middle === undefined) return
  print(`deleting facts before ${middle.at.toISOString()}`)
  for (const table of factTables) yield* exports`delete from ${exports(table)} where block < ${middle.block}`
  yield* exports`delete from position where changed_at < ${middle.at}`
  yield* exports`vacuum (full, analyze)`
})

const blocksPerRequest = 32

const readBlocks = Effect.fnUntraced(function* (from: number, to: number) {
  const node = yield* ChainNode
  const batches: Array<Batch> = []
  for (let first = from; first <= to; first += blocksPerRequest) {
    const count = Math.min(blocksPerRequest, to - first + 1)
    const found = yield* node.headers(Array.from({ length: count }, (_, i) => first + i))
    const headers = found.filter((header) => header !== undefined)
    const { logs } = (yield* node.blockLogs(headers)) ?? { logs: [] }
    for (const header of headers) {
      const blockLogs = logs.filter(({ block }) => block === header.number)
      batches.push(
        recentBatch({ headers: [header], head: header.number, logs: blockLogs, eventsSince: Number.POSITIVE_INFINITY }),
      )
    }
  }
  return batches
})

expose<LedgerSubject>({
  follow: (url, head) => Effect.runPromise(Effect.provide(follow(head), ledgerAt(url))),
  halve: () => Effect.runPromise(Effect.provide(halve, stores)),
  catalogue: (url, now) =>
    Effect.runPromise(
      Effect.gen(function* () {
        // It moves on, or requests that wait for the rate limit would wait forever.
        const begun = performance.now()
        const clock = clockShowing(() => now + Math.floor(performance.now() - begun), yield* Clock.Clock)
        yield* Effect.provideService(catalogue, Clock.Clock, clock)
      }).pipe(Effect.provide(ledgerAt(url))),
    ),
  vacuum: () => Effect.runPromise(Effect.provide(vacuum, stores)),
  saveBlocks: (url, from, to, file) =>
    Effect.runPromise(
      Effect.map(readBlocks(from, to), (batches) => writeFileSync(file, serialize(batches))).pipe(
        Effect.provide(ChainNode.layer),
        Effect.provide(upstreamsAt(url)),
        Effect.provide(configuration([])),
      ),
    ),
})
