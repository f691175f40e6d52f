import { Effect } from "effect"
import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { FactTable, Loaded, RowOf } from "#src/feed/Loaded.ts"
import type { Mentions, Names } from "#src/feed/Names.ts"
import type { PlaceRow } from "#src/feed/rows.ts"
import type { PollerName } from "../../contracts.ts"
import type { Facets, Occurrence, Owed, Poller, Watchers } from "../model.ts"

export type Data = Occurrence["data"]

/** Most events are for nobody, so their data is made only when it is asked for. */
export const occurrence = (identity: string, facets: Facets, data: () => Data): Occurrence => ({
  identity,
  facets,
  get data() {
    return data()
  },
})

/** Names a fact whatever block it is in. */
export const identityOf = (loaded: Loaded, table: FactTable, row: PlaceRow): string =>
  `${table} ${row.tx} ${loaded.ordinal(table, row)}`

export interface FactWords<Row> {
  readonly mention: (row: Row, mentions: Mentions) => void
  readonly facets: (row: Row, names: Names) => Facets
  readonly data: (row: Row, names: Names) => Data
}

/** Tells facts that are found by their block and log. */
export const factTeller = <K extends FactTable>(table: K, words: FactWords<RowOf<K>>): EventRenderer<Occurrence> => ({
  block: ({ ref }) => ref,
  needs: ({ ref }, needs) => needs.factsOf(table, Number(ref)),
  find: ({ ref, sub }, loaded) => {
    const row = loaded.fact(table, Number(ref), sub ?? 0)
    if (row === undefined) return undefined
    const identity = identityOf(loaded, table, row)
    return {
      mention: (mentions) => words.mention(row, mentions),
      tell: (names) => [occurrence(identity, words.facets(row, names), () => words.data(row, names))],
    }
  },
})

/** To whom it is owed: those whom it fits and who were there before it. */
export const owedTo = (watchers: Watchers, seq: bigint, one: Occurrence): ReadonlyArray<Owed> => {
  const found = [...watchers.of(one.facets)].filter(({ since }) => since < seq)
  if (found.length === 0) return []
  const { identity, data } = one
  return found.map((watcher) => ({ watcher, identity, data }))
}

/** A poller that tells each fact as it is. */
export const stateless = (
  name: PollerName,
  tellers: Readonly<Record<string, EventRenderer<Occurrence>>>,
): Poller<Occurrence> => ({
  name,
  tellers: new Map(Object.entries(tellers)),
  step: ({ entries, watchers }) =>
    Effect.sync(() => ({
      owed: entries.flatMap(({ event, told }) => told.flatMap((one) => owedTo(watchers, event.seq, one))),
      save: Effect.void,
    })),
})

/** The same as something that a wallet did. */
export const asActivity = <Row>(kind: string, words: FactWords<Row>): FactWords<Row> => ({
  ...words,
  data: (row, names) => ({ activity_type: kind, ...words.data(row, names) }),
})
