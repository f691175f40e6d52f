import { Effect, Schema, Stream } from "effect"
import * as Job from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { sweep } from "#src/mesh/Sweep.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { report } from "./report.ts"

/** Pending work in a table: it takes `millis` and then writes one row, once. */
export const Work = Job.make({
  name: "test-work",
  payload: Schema.Struct({ id: Schema.Int, millis: Schema.Int }),
  key: ({ id }) => `work-${id}`,
  defaults: { concurrency: 8 },
})

export const workTables = [
  `create table owed (id int primary key, millis int not null, owed_at timestamptz not null default now(), done_at timestamptz)`,
  `create table done (id int primary key, pid int not null, attempt int not null, at timestamptz not null default clock_timestamp())`,
]

export const workHandler = jobWorker(Work, ({ id, millis }, run) =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    report("begin", { id, attempt: run.attempt })
    yield* Effect.sleep(millis)
    const inserted = yield* tx(
      Effect.gen(function* () {
        const rows = yield* sql`insert into done (id, pid, attempt) values (${id}, ${process.pid}, ${run.attempt})
          on conflict (id) do nothing returning id`
        yield* sql`update owed set done_at = now() where id = ${id} and done_at is null`
        return rows.length === 1
      }),
    )
    // Committed but not acknowledged: a process that dies here leaves a job that runs again.
    yield* Effect.sleep(millis / 3)
    report("end", { id, inserted })
  }).pipe(
    Effect.onInterrupt(() => Effect.sync(() => report("interrupted", { id }))),
    Effect.mapError((error) => new Job.Retryable({ reason: error.message })),
  ),
)

export const workSweep = sweep(
  Work,
  Stream.unwrap(
    Effect.map(
      Postgres,
      ({ sql }) =>
        sql<{ id: number; millis: number }>`
        select id, millis from owed where done_at is null and owed_at < now() - interval '1 second' order by id`.stream,
    ),
  ),
)
