import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import { type Facets, noFacets } from "./filters/Facets.ts"
import type { FactTable, LoadedRows, RowNeeds } from "./LoadedRows.ts"
import type { FeedMessage } from "./model.ts"
import type { Mentions, Names } from "./Names.ts"

/** A message before its log entry's seq and time are added. */
export type RenderedMessage = Pick<FeedMessage, "type" | "facets" | "data">

/** A log entry whose rows are loaded. */
export interface FoundEvent<A> {
  /** Registers the ids whose names `render` needs. */
  readonly mention?: (mentions: Mentions) => void
  readonly render: (names: Names) => ReadonlyArray<A>
}

/** Renders log entries of one kind. */
export interface EventRenderer<A = RenderedMessage> {
  /** The block that the entry belongs to and is retracted with; null outside the chain. */
  readonly block?: (event: LoggedEvent) => bigint | null
  readonly needs?: (event: LoggedEvent, needs: RowNeeds) => void
  /** Undefined when the rows that it refers to are gone. */
  readonly find: (
    event: LoggedEvent,
    rows: LoadedRows,
    isRetracted: (block: bigint) => boolean,
  ) => FoundEvent<A> | undefined
}

/** Renders facts that are found by block and log index. */
export const factRenderer = <Row>(
  table: FactTable,
  find: (rows: LoadedRows, block: number, logIndex: number, sub: number | undefined) => Row | undefined,
  mention: (row: Row, mentions: Mentions) => void,
  render: (row: Row, names: Names) => ReadonlyArray<RenderedMessage>,
): EventRenderer => ({
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.facts(table, Number(ref)),
  find: ({ ref, sub, data }, rows) => {
    // The entry has an index only if it is not the first fact of its log.
    const row = find(rows, Number(ref), sub ?? 0, (data as { readonly sub?: number } | null)?.sub)
    return row && { mention: (mentions) => mention(row, mentions), render: (names) => render(row, names) }
  },
})

/** Facets of an event in a block. */
export const confirmedFacets: Facets = { ...noFacets, status: "confirmed" }

export const fromNullable = <A>(value: A | null): ReadonlyArray<A> => (value === null ? [] : [value])
