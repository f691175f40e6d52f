import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { type Name, type NameKind, nameStore } from "#src/catalogue/NameStore.ts"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"

/** Names that a list is narrowed to. */
export interface NameFilter {
  readonly condition?: string | undefined
  /** Slug of a market, or of an event in lists of events. */
  readonly slug?: string | undefined
  /** Slug of the event of markets. */
  readonly event?: string | undefined
  readonly category?: string | undefined
  readonly tag?: string | undefined
}

const idsOf = Effect.map((rows: ReadonlyArray<{ readonly id: number }>) => rows.map(({ id }) => id))

/** Scopes of the markets that a filter names; undefined if it names none. */
export const marketsNamed = Effect.fnUntraced(function* (sql: SqlClient, { condition, slug }: NameFilter) {
  const ofCondition =
    condition === undefined
      ? undefined
      : yield* idsOf(sql<{ id: number }>`select id from condition where hash = ${bytesOfCondition(condition)}`)
  const ofSlug =
    slug === undefined
      ? undefined
      : yield* idsOf(sql<{ id: number }>`
          select distinct condition as id from market where slug = ${slug} and condition is not null`)
  return ofCondition === undefined || ofSlug === undefined
    ? (ofCondition ?? ofSlug)
    : ofCondition.filter((id) => ofSlug.includes(id))
})

export const eventsNamed = (sql: SqlClient, slug: string | undefined) =>
  slug === undefined ? Effect.succeed(undefined) : idsOf(sql<{ id: number }>`select id from event where slug = ${slug}`)

/** Fails if a list is empty because of a name that does not exist, or of names that exclude each other. */
export const explainEmpty = Effect.fnUntraced(function* (
  sql: SqlClient,
  { condition, slug, event, category, tag }: NameFilter,
  kind: "market" | "event",
) {
  const named = (parameter: string, of: NameKind, value: string | undefined) =>
    value === undefined ? [] : [{ parameter, name: { kind: of, value } satisfies Name }]
  const markets = [
    ...named("condition_id", "condition", condition),
    ...named("slug", kind, slug),
    ...named("event", "event", event),
  ]
  const groups = [...named("category", "category", category), ...named("tag", "tag", tag)]
  yield* nameStore(sql).check([...markets, ...groups].map(({ name }) => name))
  const parameters = markets.map(({ parameter }) => parameter)
  if (parameters.length > 1) return yield* new ConflictingFilters({ parameters })
})
