import type { Column } from "#src/platform/bulkInsert.ts"
import type { Fact, FactKind, Place } from "./model.ts"

export const bytes = (hex: string) => Buffer.from(hex, "hex")

/** Columns that rows of all facts have. */
export const placeColumns = {
  block: ["int4", ({ block }) => block],
  log_index: ["int4", ({ logIndex }) => logIndex],
  at: ["timestamptz", ({ at }) => at],
  tx: ["bytea", ({ tx }) => bytes(tx)],
} as const satisfies Readonly<Record<string, Column<Place>>>

export const again = "on conflict do nothing"

export const of = <K extends FactKind>(facts: ReadonlyArray<Fact>, kind: K) =>
  facts.filter((fact): fact is Extract<Fact, { readonly kind: K }> => fact.kind === kind)
