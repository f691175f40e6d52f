import type { EventRenderer } from "#src/feed/EventRenderer.ts"
import type { ToldEntry } from "#src/feed/renderEvents.ts"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"

/** Where a fact is that still stands. Nothing else is read of it: most concern nobody. */
export interface ToldPlace {
  readonly kind: string
  readonly block: number
  readonly logIndex: number
  /** Of transfers, of which one log may have several. */
  readonly sub: number
}

const placeOf = ({ kind, ref, sub, data }: LoggedEvent): ToldPlace => ({
  kind,
  block: Number(ref),
  logIndex: sub ?? 0,
  sub: (data as { readonly sub?: number } | null)?.sub ?? 0,
})

export const placeTeller: EventRenderer<ToldPlace> = {
  block: ({ ref }) => ref,
  find: (event) => ({ tell: () => [placeOf(event)] }),
}

export const placeKey = ({ kind, block, logIndex, sub }: ToldPlace) => `${kind} ${block} ${logIndex} ${sub}`

/** The entries of these facts, by their places. */
export const seqsByPlace = (entries: ReadonlyArray<ToldEntry<ToldPlace>>): ReadonlyMap<string, bigint> =>
  new Map(entries.flatMap(({ event, told }) => told.map((place) => [placeKey(place), event.seq] as const)))

export const blocksOf = (entries: ReadonlyArray<ToldEntry<ToldPlace>>): ReadonlyArray<number> => [
  ...new Set(entries.flatMap(({ told }) => told.map(({ block }) => block))),
]
