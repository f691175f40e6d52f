import type { Fact, FactKind, Place } from "./model.ts"

export const bytes = (hex: string) => Buffer.from(hex, "hex")

/** Columns that rows of all facts have. */
export const placeColumns = { block: "int4", log_index: "int4", at: "timestamptz", tx: "bytea" } as const

export const placeRow = ({ block, logIndex, at, tx }: Place) => ({
  block,
  log_index: logIndex,
  at: new Date(at),
  tx: bytes(tx),
})

export type PlaceRow = ReturnType<typeof placeRow>

export const again = "on conflict do nothing"

export const of = <K extends FactKind>(facts: ReadonlyArray<Fact>, kind: K) =>
  facts.filter((fact): fact is Extract<Fact, { readonly kind: K }> => fact.kind === kind)
