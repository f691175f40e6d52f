import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fillIn } from "#src/ledger/fillIn.ts"
import { factKinds } from "#src/ledger/LedgerRows.ts"
import { verifyLedger } from "#src/ledger/verify.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { command } from "#test/positions/support/command.ts"
import { derivedRows } from "#test/positions/support/derivedRows.ts"
import { livedThrough, startFollower } from "#test/positions/support/lived.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt } from "./following.ts"
import { assertEveryFactTold, foldEvents } from "./support/folded.ts"
import { assertEqualsTruth } from "./truth.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const depth = 60
const day = 86_400_000
const today = Math.floor(Date.now() / day) * day

const stores = (settings: Record<string, string> = {}) =>
  ledger.pipe(
    Layer.provideMerge(
      testFoundation({ "event-log.retention": "3650d", "ledger.reorg-depth": String(depth), ...settings }),
    ),
  )

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

const reasonOf = (range: { readonly from: number; readonly to: number; readonly mostFacts?: number }) =>
  Effect.map(Effect.flip(fillIn(range)), (failure) => failure.message)

/** Every fact, without the dictionary's numbers, as text. */
const factRows = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const tables = factKinds
  const rows = yield* Effect.forEach(
    tables,
    (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t order by block, log_index, t::text`,
  )
  return rows.flat().map(({ row }) => row)
})

layer(stores(), { excludeTestServices: true })("Facts that got lost", (it) => {
  it.effect("are read again from the chain, and positions follow from them", () =>
    Effect.gen(function* () {
      const { url, simulation, following, node } = yield* livedThrough(71, { scale: isSoak ? "tiny" : "brief" })
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const [facts, derived] = [yield* factRows, yield* derivedRows(depth)]
        const { block, startedFrom } = yield* cursor
        const to = block - depth
        const from = startedFrom + Math.floor((to - startedFrom) / 3)

        const whole = yield* fillIn({ from, to })
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

        const said = yield* command(["backfill", "--from", String(from), "--to", String(to), "--json"], {
          UPSTREAM_SIMULATOR_URL: url,
          LEDGER_REORG_DEPTH: String(depth),
          EVENT_LOG_RETENTION: "3650d",
        })
        assert.strictEqual(said.code, 0, said.err)
        assert.deepStrictEqual(JSON.parse(said.out), { from, to, facts: lost, positions_rebuilt: true })
        assert.deepStrictEqual(yield* factRows, facts)
        assert.deepStrictEqual(yield* derivedRows(depth), derived)
        yield* assertEqualsTruth(simulation)
        yield* assertSound
        // The log had told of them before they were lost.
        yield* assertEveryFactTold
        simulation.reorg(15)
        simulation.advance(20_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(node))
    }),
  )
})

layer(stores(), { excludeTestServices: true })("A range of blocks", (it) => {
  it.effect("is refused where the follower is at work and where it is none; then nothing is written", () =>
    Effect.gen(function* () {
      const { node } = yield* livedThrough(72)
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const { block, startedFrom } = yield* cursor
        const to = block - depth
        const rows = yield* factRows
        assert.match(yield* reasonOf({ from: 9, to: 8 }), /--from 9 lies after --to 8/)
        assert.match(yield* reasonOf({ from: -1, to: 8 }), /numbered 0, 1, 2/)
        assert.match(yield* reasonOf({ from: to, to: to + 1 }), new RegExp(`may still be replaced.* at most ${to}$`))
        assert.match(yield* reasonOf({ from: to, to: block + 1 }), new RegExp(`beyond the ledger.* at most ${to}$`))
        assert.match(
          yield* reasonOf({ from: startedFrom - 9, to: startedFrom - 5 }),
          new RegExp(`a gap .* use --from ${startedFrom - 9} --to ${startedFrom - 1}$`),
        )
        assert.match(yield* reasonOf({ from: startedFrom - 9, to: startedFrom }), /the node has no blocks before \d+/)
        yield* sql`delete from fill where block between ${startedFrom} and ${to}`
        assert.match(
          yield* reasonOf({ from: startedFrom, to, mostFacts: 10 }),
          new RegExp(`more than 10 facts .* such as --from \\d+ --to ${to}$`),
        )
        assert.isBelow((yield* factRows).length, rows.length)
        yield* sql`update block set hash = '\\x00' where number = (select max(number) from block where number <= ${to})`
        assert.match(yield* reasonOf({ from: startedFrom, to }), /the node has another block \d+ than the ledger/)
        assert.isBelow((yield* factRows).length, rows.length)
      }).pipe(Effect.provide(node))
    }),
  )
})

const lateStart = firstBlock + 280_000

layer(stores({ "event-log.retention": "4d", "ledger.start-block": String(lateStart) }), { excludeTestServices: true })(
  "A ledger that began late",
  (it) => {
    it.effect("gets the part before it, and tells of what is recent enough", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(73, { scale: "tiny", genesis: today, clock: () => today })
        simulation.settle()
        yield* Effect.gen(function* () {
          const { sql } = yield* Postgres
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          assert.strictEqual((yield* cursor).startedFrom, lateStart)

          assert.match(yield* reasonOf({ from: firstBlock, to: lateStart - 2 }), /would leave a gap/)
          const part = yield* fillIn({ from: lateStart - 5_000, to: lateStart + 100 })
          assert.isAbove(part.added.fill, 0)
          assert.strictEqual((yield* cursor).startedFrom, lateStart - 5_000)
          // What was bought before is missing still, but positions are what the facts say.
          const wrong = (yield* verifyLedger).filter(({ ok }) => !ok).map(({ check }) => check)
          assert.deepStrictEqual(
            wrong.filter((check) => check !== "holdings" && check !== "tokens"),
            [],
          )

          simulation.advance(60_000)
          const rest = yield* fillIn({ from: firstBlock, to: lateStart - 5_001 })
          assert.isAbove(rest.added.fill, part.added.fill)
          assert.strictEqual(rest.rebuilt?.first, firstBlock)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertEqualsTruth(simulation)
          yield* assertSound

          const { told } = yield* foldEvents
          const names = told.map(({ kind, block, logIndex }) => `${kind} ${block} ${logIndex}`)
          assert.strictEqual(new Set(names).size, names.length, "a fact was told twice")
          const fills = yield* sql<{ name: string; block: number; at: Date }>`
            select 'fill ' || block || ' ' || log_index as name, block, at from fill`
          const heard = new Set(names)
          const cut = Date.now() - 4 * day
          const aMoment = 600_000
          const recent = fills.filter(({ at }) => at.getTime() > cut + aMoment)
          const old = fills.filter(({ at }) => at.getTime() < cut - aMoment)
          assert.isAbove(old.length, 100)
          assert.isAbove(recent.filter(({ block }) => block < lateStart - 5_000).length, 10)
          assert.deepStrictEqual(
            recent.filter(({ name }) => !heard.has(name)),
            [],
          )
          assert.deepStrictEqual(
            old.filter(({ name }) => heard.has(name)),
            [],
          )
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  },
)
