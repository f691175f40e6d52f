import assert from "node:assert/strict"
import { Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"
import { completeStart } from "../support/completeStart.ts"
import { type Home, makeHome } from "../support/home.ts"
import { patience } from "../support/patience.ts"
import type { Row } from "../support/Row.ts"
import { type Release, releases, unpack } from "../support/release.ts"

const readyWithin = 600_000
const endsWithin = 40_000 * patience

/** The directory of an old version, with what it has read of a venue, continued by this version. */
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

      yield* completeStart(home)
      assert.match(home.instance().log(), /migrated: /)
      yield* home.stop
    }).pipe(Effect.scoped),
})

/** Databases that earlier versions have made. */
export const versions: ReadonlyArray<Row<Home>> = (Object.keys(releases) as ReadonlyArray<Release>).map(upgraded)
