import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Run, RunKind, RunProgress } from "./model.ts"

const fields = `id::text as id, kind, state, requested_by as "requestedBy", requested_at as "requestedAt",
  started_at as "startedAt", finished_at as "finishedAt", step, progress, cancel_requested as "cancelRequested",
  result, error`

/** Ends a run that no worker has: its job was lost. Workers report twice a second; a queued run may wait for them to start. */
export const failLost = (sql: SqlClient) => sql`
  update repair_run set state = 'failed', finished_at = now(), error = 'its job was lost'
  where state in ('queued', 'running') and coalesce(seen_at, requested_at) < now() - interval '10 minutes'`

/** Undefined while another run is open. */
export const insert = (sql: SqlClient, kind: RunKind, by: string) =>
  Effect.map(
    sql<Run>`
      insert into repair_run (kind, requested_by) values (${kind}, ${by})
      on conflict ((true)) where state in ('queued', 'running') do nothing returning ${sql.literal(fields)}`,
    ([run]) => run,
  )

export const open = (sql: SqlClient) =>
  Effect.map(
    sql<Run>`select ${sql.literal(fields)} from repair_run where state in ('queued', 'running')`,
    ([run]) => run,
  )

export const find = (sql: SqlClient, id: string) =>
  Effect.map(sql<Run>`select ${sql.literal(fields)} from repair_run where id = ${id}::uuid`, ([run]) => run)

export const newest = (sql: SqlClient, limit: number) =>
  sql<Run>`select ${sql.literal(fields)} from repair_run order by requested_at desc limit ${limit}`

/** Marks a run as running; undefined if it has ended, for example because it was cancelled. */
export const start = (sql: SqlClient, id: string) =>
  Effect.map(
    sql<{ kind: RunKind; starts: number }>`
      update repair_run set state = 'running', started_at = coalesce(started_at, now()), starts = starts + 1, seen_at = now()
      where id = ${id}::uuid and state in ('queued', 'running') returning kind, starts`,
    ([run]) => run,
  )

/** Stores the progress of a run; returns whether it should stop. */
export const report = (sql: SqlClient, id: string, { step, progress }: RunProgress) =>
  Effect.map(
    sql<{ stop: boolean }>`
      update repair_run set step = ${step}, progress = ${progress}, seen_at = now()
      where id = ${id}::uuid and state = 'running' returning cancel_requested as stop`,
    ([run]) => run?.stop ?? true,
  )

export type Ending =
  | { readonly state: "done"; readonly result: unknown }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "cancelled" }

/** A run whose worker was silent for long may have been listed as cancelled although its work is done: the result counts. */
export const finish = (sql: SqlClient, id: string, ending: Ending) => sql`
  update repair_run set state = ${ending.state}, finished_at = now(),
    progress = case when ${ending.state === "done"} then 1 else progress end,
    result = ${ending.state === "done" ? JSON.stringify(ending.result) : null}::jsonb,
    error = ${ending.state === "failed" ? ending.error : null}::text
  where id = ${id}::uuid and (state in ('queued', 'running') or state = 'cancelled' and ${ending.state === "done"})`

/** A worker reports twice a second: after this long, none has the run. */
const abandonedAfter = "30 seconds"

/** Asks the worker to stop. A run that no worker has ends at once. */
export const cancel = (sql: SqlClient, id: string) =>
  Effect.map(
    sql<Run>`
      update repair_run set cancel_requested = true,
        state = case when seen_at > now() - ${abandonedAfter}::interval then state else 'cancelled' end,
        finished_at = case when seen_at > now() - ${abandonedAfter}::interval then null else now() end
      where id = ${id}::uuid and state in ('queued', 'running') returning ${sql.literal(fields)}`,
    ([run]) => run,
  )

/** Runs of the last month are kept. */
export const deleteExpired = (sql: SqlClient) =>
  sql`delete from repair_run where requested_at < now() - interval '30 days' and state not in ('queued', 'running')`
