import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { factKinds } from "#src/ledger/factRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillGaps } from "#src/repair/fillGaps.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertEveryFactPublished, foldEvents } from "#test/ledger/support/folded.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { livedDatabase, livingOn, startFollower } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { migratedDatabase, type TestDatabase, testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { command } from "./support/command.ts"
import { derivedRows } from "./support/derivedRows.ts"

const depth = 40
const hour = 3_600_000

const stores = (settings: Record<string, string> = {}, database: TestDatabase = migratedDatabase) =>
  ledger.pipe(
    Layer.provideMerge(
      testFoundation(
        { "event-log.retention": "3650d", "ledger.reorg-depth": String(depth), ...settings },
        [],
        database,
      ),
    ),
  )

/** A history that was followed; its follower is still running. */
class Lived extends Context.Service<Lived, Effect.Success<ReturnType<typeof livingOn>>>()("test/repair/Lived") {}

const world = Layer.effect(Lived, livingOn()).pipe(Layer.provideMerge(stores({}, livedDatabase())))

const assertSound = Effect.map(verifyLedger, (checks) =>
  assert.deepStrictEqual(
    checks.filter(({ ok }) => !ok),
    [],
  ),
)

const cursor = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ block: number; started_from: number }>`select block, started_from from chain_cursor`
  return { block: row?.block ?? -1, startedFrom: row?.started_from ?? -1 }
})

const reasonOf = (range: { readonly from: number; readonly to: number; readonly maxFacts?: number }) =>
  Effect.map(Effect.flip(fillGaps(range)), (failure) => failure.message)

/** Every fact as text. */
const factRows = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* Effect.forEach(
    factKinds,
    (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t order by block, log_index, t::text`,
  )
  return rows.flat().map(({ row }) => row)
})

layer(world, { excludeTestServices: true })("fillGaps", (it) => {
  it.effect("reads lost facts again from the chain and rebuilds positions", () =>
    Effect.gen(function* () {
      const { url, simulation, following, node } = yield* Lived
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const [facts, derived] = [yield* factRows, yield* derivedRows(depth)]
        const { block, startedFrom } = yield* cursor
        const to = block - depth
        const from = startedFrom + Math.floor(((to - startedFrom) * 2) / 3)

        const whole = yield* fillGaps({ from, to })
        assert.isUndefined(whole.rebuilt)
        assert.deepStrictEqual(new Set(Object.values(whole.added)), new Set([0]))

        const lost: Record<string, number> = {}
        for (const table of factKinds) {
          const gone = yield* sql`
            delete from ${sql(table)} where block between ${from} and ${to} and (block + log_index) % 3 <> 0 returning 1`
          lost[table] = gone.length
        }
        yield* sql`delete from block where number between ${from} and ${to} and number % 2 = 0`
        assert.isAbove(lost.fill ?? 0, 100)
        assert.isAbove(Object.values(lost).filter((count) => count > 0).length, 4)
        assert.notDeepEqual(
          (yield* verifyLedger).filter(({ ok }) => !ok),
          [],
        )

        const result = yield* command(["backfill", "--from", String(from), "--to", String(to), "--json"], {
          UPSTREAM_SIMULATOR_URL: url,
          LEDGER_REORG_DEPTH: String(depth),
          EVENT_LOG_RETENTION: "3650d",
        })
        assert.strictEqual(result.code, 0, result.err)
        assert.deepStrictEqual(JSON.parse(result.out), { from, to, facts: lost, positions_rebuilt: true })
        assert.deepStrictEqual(yield* factRows, facts)
        assert.deepStrictEqual(yield* derivedRows(depth), derived)
        yield* assertEqualsTruth(simulation)
        yield* assertSound
        // Their events were in the log before the loss.
        yield* assertEveryFactPublished
        simulation.reorg(15)
        simulation.advance(20_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(node))
    }),
  )

  it.effect("refuses invalid ranges and blocks of the follower, and writes nothing", () =>
    Effect.gen(function* () {
      const { node } = yield* Lived
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const { block, startedFrom } = yield* cursor
        const to = block - depth
        const from = to - 3_000
        const rows = yield* factRows
        assert.match(yield* reasonOf({ from: 9, to: 8 }), /--from 9 is greater than --to 8/)
        assert.match(yield* reasonOf({ from: -1, to: 8 }), /not a range of block numbers/)
        assert.match(yield* reasonOf({ from: to, to: to + 1 }), new RegExp(`may still be replaced.* at most ${to}$`))
        assert.match(yield* reasonOf({ from: to, to: block + 1 }), new RegExp(`beyond the ledger.* at most ${to}$`))
        assert.match(
          yield* reasonOf({ from: startedFrom - 9, to: startedFrom - 5 }),
          new RegExp(`a gap .* use --from ${startedFrom - 9} --to ${startedFrom - 1}$`),
        )
        assert.match(yield* reasonOf({ from: startedFrom - 9, to: startedFrom }), /the node has no blocks before \d+/)
        yield* sql`delete from fill where block between ${from} and ${to}`
        assert.match(
          yield* reasonOf({ from, to, maxFacts: 10 }),
          new RegExp(`more than 10 facts .* for example --from \\d+ --to ${to}$`),
        )
        assert.isBelow((yield* factRows).length, rows.length)
        yield* sql`update block set hash = '\\x00' where number = (select max(number) from block where number <= ${to})`
        assert.match(yield* reasonOf({ from, to }), /the node has another block \d+ than the ledger/)
        assert.isBelow((yield* factRows).length, rows.length)
      }).pipe(Effect.provide(node))
    }),
  )
})

/** The venue began 32 hours ago, so that the first third of its history is older than the retention. */
const genesis = Date.now() - 18 * hour
const lateStart = firstBlock + 20_000

layer(stores({ "event-log.retention": "1d", "ledger.start-block": String(lateStart) }), { excludeTestServices: true })(
  "fillGaps of a ledger that started late",
  (it) => {
    it.effect("adds the earlier blocks and publishes their recent facts", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(73, { genesis, clock: () => genesis, rate: 4 })
        simulation.settle()
        yield* Effect.gen(function* () {
          const { sql } = yield* Postgres
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          assert.strictEqual((yield* cursor).startedFrom, lateStart)

          assert.match(yield* reasonOf({ from: firstBlock, to: lateStart - 2 }), /would leave a gap/)
          const part = yield* fillGaps({ from: lateStart - 5_000, to: lateStart + 100 })
          assert.isAbove(part.added.fill, 0)
          assert.strictEqual((yield* cursor).startedFrom, lateStart - 5_000)
          // Earlier purchases are still missing, but positions match the facts.
          const wrong = (yield* verifyLedger).filter(({ ok }) => !ok).map(({ check }) => check)
          assert.deepStrictEqual(
            wrong.filter((check) => check !== "holdings" && check !== "tokens"),
            [],
          )

          simulation.advance(60_000)
          const rest = yield* fillGaps({ from: firstBlock, to: lateStart - 5_001 })
          assert.isAbove(rest.added.fill, part.added.fill)
          assert.strictEqual(rest.rebuilt?.first, firstBlock)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertEqualsTruth(simulation)
          yield* assertSound

          const { published } = yield* foldEvents
          const names = published.map(({ kind, block, logIndex }) => `${kind} ${block} ${logIndex}`)
          const unique = new Set(published.map(({ sub }, i) => `${names[i]} ${sub}`))
          assert.strictEqual(unique.size, names.length, "a fact was published twice")
          const fills = yield* sql<{ name: string; block: number; at: Date }>`
            select 'fill ' || block || ' ' || log_index as name, block, to_timestamp(at) as at from fill`
          const logged = new Set(names)
          const cut = Date.now() - 24 * hour
          const aMoment = hour / 6
          const recent = fills.filter(({ at }) => at.getTime() > cut + aMoment)
          const old = fills.filter(({ at }) => at.getTime() < cut - aMoment)
          assert.isAbove(old.length, 100)
          assert.isAbove(recent.filter(({ block }) => block < lateStart - 5_000).length, 10)
          assert.deepStrictEqual(
            recent.filter(({ name }) => !logged.has(name)),
            [],
          )
          assert.deepStrictEqual(
            old.filter(({ name }) => logged.has(name)),
            [],
          )
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  },
)
