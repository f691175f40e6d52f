import { Effect, Option } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"

export interface Change {
  readonly name: string
  /** Undefined without an override. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly by: string
  /** Milliseconds. */
  readonly at: number
}

interface AuditRow {
  readonly name: string
  readonly old_value: string | null
  readonly new_value: string | null
  readonly set_by: string
  readonly set_at: Date
}

const change = (row: AuditRow): Change => ({
  name: row.name,
  from: row.old_value ?? undefined,
  to: row.new_value ?? undefined,
  by: row.set_by,
  at: row.set_at.getTime(),
})

/** Sets an override, or removes it without a value, and records who did it. */
export const write = (
  { sql, tx }: Postgres["Service"],
  { name, value, by }: { readonly name: string; readonly value: string | undefined; readonly by: string },
) =>
  tx(
    Effect.gen(function* () {
      const [before] = yield* sql<{ value: string }>`select value from tuning where name = ${name} for update`
      if (value === undefined) yield* sql`delete from tuning where name = ${name}`
      else {
        yield* sql`insert into tuning (name, value, set_by) values (${name}, ${value}, ${by})
          on conflict (name) do update set value = excluded.value, set_by = excluded.set_by, set_at = now()`
      }
      const [row] = yield* sql<AuditRow>`
        insert into tuning_audit (name, old_value, new_value, set_by)
        values (${name}, ${before?.value ?? null}, ${value ?? null}, ${by})
        returning name, old_value, new_value, set_by, set_at`
      return change(row as AuditRow)
    }),
  )

export const overrides = ({ reads }: Postgres["Service"]) =>
  Effect.map(
    reads<{ name: string; value: string }>`select name, value from tuning`,
    (rows) => new Map(rows.map(({ name, value }) => [name, value])),
  )

export const history = ({ reads }: Postgres["Service"], name: Option.Option<string>) =>
  Effect.map(
    reads<AuditRow>`
      select name, old_value, new_value, set_by, set_at from tuning_audit
      ${Option.match(name, { onNone: () => reads.literal(""), onSome: (only) => reads`where name = ${only}` })}
      order by id desc limit 100`,
    (rows) => rows.map(change),
  )
