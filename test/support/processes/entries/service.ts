// One part of a small service: `worker` runs jobs, ticks and an actor; `scheduler` runs the duties and creates work.
import { Effect, Layer, Schedule } from "effect"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { settingsOf } from "#src/mesh/Job.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keepDuties } from "#src/mesh/keepDuties.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import { onWord, runEntry } from "../entry.ts"
import { writer } from "../ledger.ts"
import { report } from "../report.ts"
import { ticking } from "../ticks.ts"
import { Work, workHandler, workSweep } from "../work.ts"

const ticks = [1000, 2000, 3000].map((every) => ticking(`test-every-${every}`, every, 0))

/** Creates work until it receives `enough`: first in Postgres, then, if available, in Redis. */
const owing = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const jobs = yield* Jobs
    let enough = false
    onWord((word) => {
      enough ||= word === "enough"
    })
    let id = 0
    const owe = Effect.gen(function* () {
      if (enough) return
      const payload = { id: ++id, millis: 20 }
      yield* sql`insert into owed ${sql.insert(payload)}`
      report("owed", { id: payload.id })
      yield* jobs.enqueue(Work, payload)
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(owe), Schedule.spaced("50 millis")))
  }),
)

const parts = {
  worker: Layer.mergeAll(
    workHandler,
    workSweep,
    ...ticks.map(({ handler }) => handler),
    writer("steady").pipe(
      Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
    ),
  ),
  scheduler: Layer.merge(keepDuties(ticks.map(({ duty }) => duty)), owing),
}

const part = parts[process.env.PART as keyof typeof parts]
runEntry(part, [...settingsOf(Work), ...ticks.flatMap(({ settings }) => settings)])
