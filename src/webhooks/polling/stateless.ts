import { Effect } from "effect"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { Facets } from "#src/feed/filters/Facets.ts"
import type { FactTable, LoadedRows, RowOf } from "#src/feed/LoadedRows.ts"
import type { Mentions, Names } from "#src/feed/Names.ts"
import type { FactRow } from "#src/feed/rows.ts"
import type { PollerName } from "../contracts.ts"
import type { Occurrence, PendingDelivery, Poller, Watchers } from "./model.ts"

export type Data = Occurrence["data"]

/** Builds the data lazily, because most events match no webhook. */
export const occurrence = (identity: string, facets: Facets, data: () => Data): Occurrence => ({
  identity,
  facets,
  get data() {
    return data()
  },
})

/** Identifies a fact in any block that includes it. */
export const identityOf = (rows: LoadedRows, table: FactTable, row: FactRow): string =>
  `${table} ${row.tx} ${rows.ordinal(table, row)}`

export interface FactRendering<Row> {
  readonly mention: (row: Row, mentions: Mentions) => void
  readonly facets: (row: Row, names: Names) => Facets
  readonly data: (row: Row, names: Names) => Data
}

/** Renders facts that are found by block and log index. */
export const factRenderer = <K extends FactTable>(
  table: K,
  rendering: FactRendering<RowOf<K>>,
): EventRenderer<Occurrence> => ({
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.facts(table, Number(ref)),
  find: ({ ref, sub }, rows) => {
    const row = rows.fact(table, Number(ref), sub ?? 0)
    if (row === undefined) return undefined
    const identity = identityOf(rows, table, row)
    return {
      mention: (mentions) => rendering.mention(row, mentions),
      render: (names) => [occurrence(identity, rendering.facets(row, names), () => rendering.data(row, names))],
    }
  },
})

/** One delivery per webhook that matches and was created before the event. */
export const deliveriesFor = (watchers: Watchers, seq: bigint, one: Occurrence): ReadonlyArray<PendingDelivery> => {
  const found = [...watchers.matching(one.facets)].filter(({ since }) => since < seq)
  if (found.length === 0) return []
  const { identity, data } = one
  return found.map((watcher) => ({ watcher, identity, data }))
}

/** A poller that delivers each fact as it is. */
export const stateless = (
  name: PollerName,
  renderers: Readonly<Record<string, EventRenderer<Occurrence>>>,
): Poller<Occurrence> => ({
  name,
  renderers: new Map(Object.entries(renderers)),
  step: ({ entries, watchers }) =>
    Effect.sync(() => ({
      deliveries: entries.flatMap(({ event, rendered }) =>
        rendered.flatMap((one) => deliveriesFor(watchers, event.seq, one)),
      ),
      save: Effect.void,
    })),
})

/** The same event as wallet activity. */
export const asActivity = <Row>(kind: string, rendering: FactRendering<Row>): FactRendering<Row> => ({
  ...rendering,
  data: (row, names) => ({ activity_type: kind, ...rendering.data(row, names) }),
})
