import { Duration, Effect, Option, Schema } from "effect"
import * as Duty from "#src/mesh/Duty.ts"
import * as Job from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { report } from "./report.ts"

export const tickTables = [
  `create table duty_tick (id bigint generated always as identity primary key, duty text not null, slot bigint not null, pid int not null, began bigint not null, ended bigint not null)`,
]

/** A duty whose every run writes a row with its slot, start and end. */
export const ticking = (name: string, everyMillis: number, takesMillis: number) => {
  const job = Job.make({
    name,
    payload: Schema.Struct({}),
    key: () => "all",
    exclusive: true,
    defaults: { concurrency: 4, backoff: ["500 millis"] },
  })
  const handler = jobWorker(job, (_, { slot }) =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const began = Date.now()
      if (takesMillis > 0) yield* Effect.sleep(takesMillis)
      yield* sql`insert into duty_tick (duty, slot, pid, began, ended)
          values (${name}, ${BigInt(Option.getOrElse(slot, () => -1))}, ${process.pid}, ${BigInt(began)}, ${BigInt(Date.now())})`
      report("tick", { duty: name })
    }).pipe(Effect.mapError((error) => new Job.Retryable({ reason: error.message }))),
  )
  const duty = Duty.make({ name, job, payload: {}, every: Duration.millis(everyMillis) })
  return { duty, handler, settings: [duty.every, ...Job.settingsOf(job)] }
}
