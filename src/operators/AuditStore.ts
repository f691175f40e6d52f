import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** What an operator does. */
export interface Action {
  readonly by: string
  /** A verb: `retry job`. */
  readonly action: string
  readonly subject: string
  readonly detail: string
}

export interface AuditLine extends Action {
  /** Milliseconds. */
  readonly at: number
  /** `done`, or why not; null if the process ended meanwhile. */
  readonly outcome: string | null
}

export const begin = (sql: SqlClient, { by, action, subject, detail }: Action) =>
  Effect.map(
    sql<{ id: bigint }>`
      insert into operator_action (done_by, action, subject, detail)
      values (${by}, ${action}, ${subject}, ${detail}) returning id`,
    ([row]) => (row as { id: bigint }).id,
  )

export const end = (sql: SqlClient, id: bigint, outcome: string) =>
  sql`update operator_action set outcome = ${outcome} where id = ${id}`

interface AuditRow extends Action {
  readonly at: Date
  readonly outcome: string | null
}

/** Actions of operators and changes of settings, newest first. */
export const newest = (sql: SqlClient, limit: number) =>
  Effect.map(
    sql<AuditRow>`
      select at, by, action, subject, detail, outcome from (
        (select at, done_by as by, action, subject, detail, outcome from operator_action order by id desc limit ${limit})
        union all
        (select set_at, set_by, 'tune', name,
          coalesce(old_value, 'no override') || ' -> ' || coalesce(new_value, 'no override'), 'done'
          from tuning_audit order by id desc limit ${limit})
      ) as lines order by at desc limit ${limit}`,
    (rows) => rows.map((row): AuditLine => ({ ...row, at: row.at.getTime() })),
  )
