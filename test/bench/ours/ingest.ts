import { Effect, Fiber, Layer, Option, Schedule, Stream } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { finalizedBatch } from "#src/ledger/batches.ts"
import { factTables, insertFacts } from "#src/ledger/factRows.ts"
import { followChain } from "#src/ledger/follow.ts"
import { readHistory } from "#src/ledger/history.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { DecodedRange, PreparedBatch } from "#src/ledger/model.ts"
import { applyFact } from "#src/ledger/positions/applyFacts.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"
import * as PositionStore from "#src/ledger/positions/PositionStore.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { expose } from "../support/expose.ts"
import type { IngestSubject } from "../support/ingest.ts"
import { configuration } from "./foundation.ts"

const ledgerAt = (url: string) =>
  Layer.mergeAll(Ledger.layer, ChainNode.layer).pipe(
    Layer.provide(leaderboardRollback),
    Layer.provideMerge(Dictionary.layer),
    Layer.provideMerge(Layer.merge(Endpoints.at(url), UpstreamHttp.layer)),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration([])),
  )

type Needs = Layer.Success<ReturnType<typeof ledgerAt>>

const run = <A>(url: string, work: Effect.Effect<A, unknown, Needs>): Promise<A> =>
  Effect.runPromise(Effect.provide(work, ledgerAt(url)))

const secondsSince = (since: number) => (performance.now() - since) / 1000

const fillsIn = ({ facts }: Pick<DecodedRange, "facts">) => facts.filter(({ kind }) => kind === "fill").length

const backfill = (head: number) =>
  Effect.gen(function* () {
    const store = yield* Ledger
    const leases = yield* Leases
    const before = process.memoryUsage().rss
    const since = performance.now()
    const following = yield* Effect.forkChild(followChain(yield* leases.seize("chain-follower")))
    let peak = before
    const isCaughtUp = Effect.map(store.cursor, (cursor) => {
      peak = Math.max(peak, process.memoryUsage().rss)
      return Option.isSome(cursor) && cursor.value.block >= head
    })
    yield* Effect.raceFirst(
      Effect.repeat(isCaughtUp, { until: (yes) => yes, schedule: Schedule.spaced("100 millis") }),
      Fiber.join(following),
    )
    const seconds = secondsSince(since)
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ n: number }>`select count(*)::int as n from fill`
    yield* Fiber.interrupt(following)
    return { fills: row?.n ?? 0, seconds, grownMegabytes: (peak - before) / 1024 / 1024 }
  })

/** History from its beginning until it contains this many fills. */
const rangesWith = (fills: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const node = yield* ChainNode
      const history = yield* readHistory
      const [first, head] = [yield* node.earliest, yield* node.head]
      let seen = 0
      return history({ from: first?.number ?? 0, to: head.number - 1_000 }).pipe(
        Stream.takeUntil((decoded) => {
          seen += fillsIn(decoded)
          return seen >= fills
        }),
      )
    }),
  )

const readOnly = (minFills: number) =>
  Effect.gen(function* () {
    const since = performance.now()
    const fills = yield* Stream.runFold(
      rangesWith(minFills),
      () => 0,
      (sum, decoded) => sum + fillsIn(decoded),
    )
    return { fills, seconds: secondsSince(since) }
  })

const tables = [...factTables, "position"]

/** The rows of a batch, computed from empty positions. */
const rowsOf = ({ batch, ids }: PreparedBatch) => {
  const book = new PositionBook()
  for (const fact of batch.facts) applyFact(book, fact, ids, () => [])
  return { batch, ids, positions: book.changed(), events: book.events() }
}

const insertOnly = (minFills: number) =>
  Effect.gen(function* () {
    const store = yield* Ledger
    const { sql, tx } = yield* Postgres
    const prepared = yield* rangesWith(minFills).pipe(
      Stream.map((decoded) => finalizedBatch({ first: 0, head: 0, decoded, eventsSince: 0 })),
      Stream.mapEffect(store.prepare),
      Stream.map(rowsOf),
      Stream.runCollect,
    )
    yield* sql`create schema empty`
    for (const table of tables) {
      yield* sql`create table empty.${sql(table)} (like public.${sql(table)} including all)`
    }
    const since = performance.now()
    for (const { batch, ids, positions, events } of prepared) {
      yield* tx(
        Effect.gen(function* () {
          yield* sql`set local search_path to empty`
          yield* insertFacts(sql, batch.facts, ids)
          yield* PositionStore.upsert(sql, positions)
          yield* PositionStore.saveEvents(sql, events)
        }),
      )
    }
    const seconds = secondsSince(since)
    return { fills: prepared.reduce((sum, { batch }) => sum + fillsIn(batch), 0), seconds }
  })

expose<IngestSubject>({
  backfill: (url, head) => run(url, backfill(head)),
  readOnly: (url, fills) => run(url, readOnly(fills)),
  insertOnly: (url, fills) => run(url, insertOnly(fills)),
})
