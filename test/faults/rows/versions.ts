import assert from "node:assert/strict"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { judgeAtHead } from "../support/completeStart.ts"
import { type Home, makeHome, type Unready } from "../support/home.ts"
import { cursorBlock } from "../support/ledger.ts"
import { patience } from "../support/patience.ts"
import type { Row } from "../support/Row.ts"
import { type Release, releases, unpack } from "../support/release.ts"
import { servicesOn } from "../support/service.ts"

const readyWithin = 600_000
const endsWithin = 40_000 * patience
const rewoundWithin = 120_000 * patience
const readAgainWithin = 120_000 * patience

/** As the documentation says: an old version has misread what the chain of this one has. */
const rewindToStart = (home: Unready) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ number: number }>`
      select b.number from block b, chain_cursor c where b.number >= c.started_from order by b.number limit 1`
    const first = row?.number ?? assert.fail("the ledger is empty")
    const env = { ...home.environment, UPSTREAM_SIMULATOR_URL: home.venue.url }
    const args = ["ledger", "rewind", "--to", String(first)]
    const rewind = yield* start({ name: "rewind", file: "src/main.ts", args, env })
    assert.equal(yield* rewind.exit(rewoundWithin), 0, rewind.log())
    const { head } = yield* home.venue.state
    yield* eventually(
      "it has read the chain again",
      readAgainWithin,
      Effect.map(cursorBlock, ({ block }) => block >= head),
    )
  })

/** The directory of an old version, with what it has read of a venue, continued by this version and read again by it. */
const upgraded = (release: Release): Row<Home> => ({
  name: `the database of version ${release}, in another directory`,
  within: 30,
  isOnce: true,
  fault: () =>
    Effect.gen(function* () {
      const home = yield* makeHome(1)
      const file = yield* unpack(release)
      // The world of this version: an old one would have made another past.
      const venue = { ...home.environment, ROLE: "simulator" }
      yield* Effect.flatMap(start({ name: "venue", file: "src/main.ts", args: ["start"], env: venue }), (process) =>
        process.waitForLine(/^presage ready/, readyWithin),
      )
      const env = { ...home.environment, UPSTREAM_SIMULATOR_URL: home.venue.url }
      const old = yield* start({ name: `version ${release}`, file, args: ["start"], env })
      yield* old.waitForLine(/^presage ready/, readyWithin)
      old.stop()
      assert.equal(yield* old.exit(endsWithin), 0, old.log())

      yield* home.start
      yield* home.awaitReady
      const { databaseUrl, redisUrl } = yield* home.stores
      yield* Effect.provide(rewindToStart(home), servicesOn(databaseUrl, redisUrl, "presage"))
      yield* judgeAtHead(home)
      assert.match(home.instance().log(), /migrated: /)
      yield* home.stop
    }).pipe(Effect.scoped),
})

/** Databases that earlier versions have made. */
export const versions: ReadonlyArray<Row<Home>> = (Object.keys(releases) as ReadonlyArray<Release>).map(upgraded)
