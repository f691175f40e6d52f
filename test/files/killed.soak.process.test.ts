import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { caughtUp, nodeAt } from "#test/ledger/support/following.ts"
import { livedVenue } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { command } from "#test/repair/support/command.ts"
import { eventually } from "#test/support/eventually.ts"
import { hold, someoneWaits } from "#test/support/hold.ts"
import { emptyLedger, exported, livedLedger, temporaryDirectory } from "./support/ledgers.ts"

/** The node, and what a busy machine needs. */
const settingsAt = (url: string) => ({
  UPSTREAM_SIMULATOR_URL: url,
  LEDGER_REORG_DEPTH: "40",
  POSTGRES_LOCK_TIMEOUT: "1m",
  POSTGRES_STATEMENT_TIMEOUT: "1m",
})

/** Runs `presage` and kills it, as `kill -9` does, once `until` is done. */
const killedOnce = <E, R>(
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  until: Effect.Effect<unknown, E, R>,
) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(command(args, env))
    const early = Effect.flatMap(Fiber.join(running), ({ err }) => Effect.die(`it ended before it was killed: ${err}`))
    yield* Effect.raceFirst(until, early)
    yield* Fiber.interrupt(running)
  })

describe("presage import", () => {
  it.live("is completed by the next one when it is killed, and nothing is in the ledger twice", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* livedVenue()
      const { to, manifest } = yield* exported("parquet").pipe(Effect.provide(nodeAt(url)), Effect.provide(livedLedger))
      assert.isAbove(manifest.parts.length, 2)
      const args = ["import", "--from", to, "--json"]
      const env = settingsAt(url)

      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const kill = (lock: string) =>
          Effect.gen(function* () {
            const release = yield* hold(lock)
            yield* killedOnce(args, env, eventually("the import waits", someoneWaits))
            yield* release
          })

        // Before it has begun.
        yield* kill("lock table fill in share row exclusive mode")
        assert.isUndefined(yield* CoverageStore.read(sql))

        // Within the transaction of the oldest part, after its facts: its first block cannot be written.
        const { number } = manifest.first_block
        yield* kill(`insert into block (number, hash, at, logs) values (${number}, '', now(), 0)`)
        const loaded = manifest.parts[1]?.from ?? 0
        assert.strictEqual((yield* coverage).facts.block, loaded)
        const [uncovered] = yield* sql<{ n: number }>`select count(*)::int as n from fill where block < ${loaded}`
        assert.strictEqual(uncovered?.n, 0)

        const { code, out, err } = yield* command(args, env)
        assert.strictEqual(code, 0, err)
        const added = { from: firstBlock, to: loaded - 1 }
        assert.deepInclude(JSON.parse(out), { added, positions_from: firstBlock })
        assert.strictEqual((yield* coverage).facts.block, firstBlock)
        const [fills] = yield* sql<{ n: number; twice: number }>`
          select count(*)::int as n, (count(*) - count(distinct (block, log_index)))::int as twice from fill`
        assert.deepStrictEqual(fills, { n: manifest.rows["fill"] ?? 0, twice: 0 })
        yield* assertSound
        yield* caughtUp(simulation, yield* startPausable)
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(nodeAt(url)), Effect.provide(emptyLedger()))
    }).pipe(Effect.scoped),
  )
})

describe("presage export", () => {
  it.live("removes what one that was killed has left, but nothing that another one may be writing", () =>
    Effect.gen(function* () {
      const { url } = yield* livedVenue()
      const to = `${yield* temporaryDirectory}/facts`
      const args = ["export", "--to", to, "--format", "csv", "--json"]
      const release = yield* hold("lock table fill in access exclusive mode")
      const hasBegun = Effect.sync(() => existsSync(`${to}/token.csv`))
      yield* killedOnce(args, settingsAt(url), eventually("the export writes files", hasBegun))
      yield* release
      assert.includeMembers(readdirSync(to), ["export.unfinished", "token.csv"])

      writeFileSync(`${to}/notes.txt`, "of somebody else")
      const kept = yield* command(args, settingsAt(url))
      assert.notStrictEqual(kept.code, 0)
      assert.match(kept.err, /is not empty/)
      assert.isTrue(existsSync(`${to}/token.csv`))
      rmSync(`${to}/notes.txt`)

      const marker = `${to}/export.unfinished`
      for (const owner of [`${process.pid} ${hostname()}\n`, "1 another-machine\n"]) {
        writeFileSync(marker, owner)
        const refused = yield* command(args, settingsAt(url))
        assert.match(refused.err, /an export is writing to .*delete the directory/)
        assert.isTrue(existsSync(`${to}/token.csv`))
      }

      // No process has this number.
      writeFileSync(marker, `4194305 ${hostname()}\n`)
      const { code, err } = yield* command(args, settingsAt(url))
      assert.strictEqual(code, 0, err)
      const names = readdirSync(to)
      assert.includeMembers(names, ["manifest.json", "token.csv"])
      assert.notInclude(names, "export.unfinished")
      const again = yield* command(args, settingsAt(url))
      assert.match(again.err, /is not empty/)
    }).pipe(Effect.scoped, Effect.provide(livedLedger)),
  )
})
