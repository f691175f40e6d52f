import { it } from "@effect/vitest"
import { Effect } from "effect"
import { settingsOf } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { start } from "#test/support/processes/Process.ts"
import { sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { Work, workTables } from "#test/support/processes/work.ts"

const log = (s: string) => process.stdout.write(`${new Date().toISOString()} ${s}\n`)
it.live("x", () =>
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const { sql } = yield* Postgres
    log("a")
    if (process.env.Q) yield* Effect.promise(() => jobs.queue(Work).getJobCounts("wait"))
    if (process.env.S) {
      yield* sql`select 1`
      yield* Effect.sleep(Number(process.env.S))
    }
    if (process.env.C) {
      const p = yield* start({
        name: "w",
        file: "test/support/processes/entries/worker.ts",
        env: yield* sandboxEnvironment,
      })
      yield* p.waitFor("ready", { within: 20000 })
      yield* Effect.addFinalizer(() => Effect.sync(() => log("children next")))
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => log("first")))
  }).pipe(
    Effect.scoped,
    Effect.tap(() => Effect.sync(() => log("scoped done"))),
    Effect.provide(sandbox(workTables, settingsOf(Work))),
    Effect.tap(() => Effect.sync(() => log("all done"))),
  ),
)
