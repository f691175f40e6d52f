import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { stretchOf } from "./stretches.ts"

/** In the order of the key, which keeps two writers of a source from waiting for each other. */
const bump = `insert into tick_revision as had (feed, source, stretch)
  select feed, $1::int2, stretch from unnest($2::int2[], $3::int4[]) as changed (feed, stretch) order by feed, stretch
  on conflict (feed, source, stretch) do update set revision = had.revision + 1`

/**
 * Counts a change of every stretch that these ticks, just stored by the same transaction, lie in.
 *
 * That is all it takes for what is kept of a stretch to be never stale and never torn: a tick and the new revision of its
 * stretch are seen together or not at all, so two readings with the same revision have the same ticks. It does not matter
 * how late a tick is, in which order transactions commit, or which process reads.
 */
export const bumpRevisions = (
  sql: PgClient.PgClient,
  source: number,
  stored: ReadonlyArray<{ readonly feed: number; readonly at: bigint }>,
) =>
  Effect.suspend((): Effect.Effect<void, SqlError> => {
    const changed = new Map<string, readonly [number, number]>()
    for (const { feed, at } of stored) {
      const stretch = stretchOf(Number(at))
      changed.set(`${feed} ${stretch}`, [feed, stretch])
    }
    if (changed.size === 0) return Effect.void
    const rows = [...changed.values()]
    return Effect.asVoid(
      sql.unsafe(bump, [
        source,
        pgArray("int2", rows, ([feed]) => feed),
        pgArray("int4", rows, ([, stretch]) => stretch),
      ]),
    )
  })
