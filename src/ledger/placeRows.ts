import type { Fact, FactKind, Place } from "#src/domain/Fact.ts"
import type { Column } from "#src/platform/sql/bulkColumns.ts"

export const bytes = (hex: string) => Buffer.from(hex, "hex")

/** Columns that rows of all facts have. */
export const placeColumns = {
  block: ["int4", ({ block }) => block],
  log_index: ["int4", ({ logIndex }) => logIndex],
  at: ["timestamptz", ({ at }) => at],
  tx: ["bytea", ({ tx }) => bytes(tx)],
} as const satisfies Readonly<Record<string, Column<Place>>>

export const again = "on conflict do nothing"

/** What a fact of each kind is. */
export type FactsByKind = { readonly [K in FactKind]: Extract<Fact, { readonly kind: K }> }

/** Facts by what they are, in order. */
export const byKind = (facts: ReadonlyArray<Fact>) => {
  const groups = Map.groupBy(facts, ({ kind }) => kind)
  return <K extends FactKind>(kind: K): ReadonlyArray<FactsByKind[K]> =>
    (groups.get(kind) ?? []).filter((fact): fact is FactsByKind[K] => fact.kind === kind)
}
