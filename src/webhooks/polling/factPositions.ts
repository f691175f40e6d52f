import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { firstLogSql } from "#src/dictionary/factSql.ts"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { RenderedEntry } from "#src/feed/renderEvents.ts"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"

/** Position of a canonical fact. Its row is not loaded, because most facts concern no webhook. */
export interface FactPosition {
  readonly kind: string
  readonly block: number
  readonly logIndex: number
  /** Index of a transfer or resolution within its log. */
  readonly sub: number
}

const positionOf = ({ kind, ref, sub, data }: LoggedEvent): FactPosition => ({
  kind,
  block: Number(ref),
  logIndex: sub ?? 0,
  sub: (data as { readonly sub?: number } | null)?.sub ?? 0,
})

export const positionRenderer: EventRenderer<FactPosition> = {
  block: ({ ref }) => ref,
  find: (event) => ({ render: () => [positionOf(event)] }),
}

export const positionKey = ({ kind, block, logIndex, sub }: FactPosition) => `${kind} ${block} ${logIndex} ${sub}`

export const seqsByPosition = (entries: ReadonlyArray<RenderedEntry<FactPosition>>): ReadonlyMap<string, bigint> =>
  new Map(
    entries.flatMap(({ event, rendered }) => rendered.map((position) => [positionKey(position), event.seq] as const)),
  )

export const blocksOf = (entries: ReadonlyArray<RenderedEntry<FactPosition>>): ReadonlyArray<number> => [
  ...new Set(entries.flatMap(({ rendered }) => rendered.map(({ block }) => block))),
]

const tables = ["fill", "split", "merge", "redemption", "conversion", "transfer", "fee_refund", "resolution"] as const
type OrdinalKind = (typeof tables)[number]

/**
 * SQL for a fact's index among the facts of its kind in its transaction, which is the same in any block. `of` is a
 * relation with kind, block, log_index, sub and at.
 */
export const ordinalSql = (sql: SqlClient, of: string, kinds: ReadonlyArray<OrdinalKind> = tables) => {
  const before = (kind: OrdinalKind) =>
    kind === "transfer" || kind === "resolution"
      ? `(f.log_index, f.sub) < (${of}.log_index, ${of}.sub)`
      : `f.log_index < ${of}.log_index`
  // Lets Postgres skip the partitions of other months.
  const isAtTime = (kind: OrdinalKind) =>
    kind === "fill" ? `f.at = extract(epoch from ${of}.at)::int` : `f.at = ${of}.at`
  const counted = kinds.map(
    (kind) => `when '${kind}' then (
      select count(*)::int from ${kind} f
      where f.block = ${of}.block and f.log_index >= ${firstLogSql(of)} and ${before(kind)} and ${isAtTime(kind)})`,
  )
  return sql.literal(`case ${of}.kind ${counted.join(" ")} end`)
}
