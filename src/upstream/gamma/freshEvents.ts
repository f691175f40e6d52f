import { Effect } from "effect"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { maybeId } from "./fields.ts"
import { fingerprintOf } from "./locateRows.ts"
import { RowText } from "./pageReader.ts"
import { idOfBad, type Rows, readEvents, rowsAtOnce } from "./rows.ts"

/** An event as it was listed. */
export interface ListedEvent {
  readonly id: number
  /** Of its text. */
  readonly fingerprint: string
  /** Numbers of the rows in it by type, with itself. */
  readonly rows: Readonly<Record<string, number>>
}

/** The events that a caller has already. */
export interface KnownEvents {
  readonly withText: (fingerprint: string) => ListedEvent | undefined
  /** Whether an event is known whatever its text. */
  readonly withId?: (id: number) => boolean
}

export interface FreshEvents extends Rows<CatalogueEvent> {
  /** Ids of rows that the caller has. */
  readonly known: ReadonlyArray<number>
  /** The others; without those of which a part was undecodable. */
  readonly listed: ReadonlyMap<number, ListedEvent>
}

const nested = { markets: "market", tags: "tag of an event", series: "series of an event", teams: "team of an event" }

const idOfRow = (row: unknown) => (typeof row === "object" && row !== null && "id" in row ? maybeId(row.id) : null)

/** Parsed at the latest here, so that an element which is no JSON counts as an undecodable row. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const rowsIn = (row: unknown): Readonly<Record<string, number>> => {
  const lists = Object.entries(nested).flatMap(([field, what]) => {
    const list = (row as Readonly<Record<string, unknown>>)[field]
    return Array.isArray(list) ? [[what, list.length] as const] : []
  })
  return { event: 1, ...Object.fromEntries(lists) }
}

/** A row that is known counts as decoded, like the rows nested in it. */
const total = (counts: ReadonlyArray<Readonly<Record<string, number>>>) => {
  const sums: Record<string, number> = {}
  for (const each of counts) for (const [what, count] of Object.entries(each)) sums[what] = (sums[what] ?? 0) + count
  return sums
}

/** Decodes the rows that the caller does not have. */
export const readFreshEvents = (rows: ReadonlyArray<unknown>, knownEvents: KnownEvents): Effect.Effect<FreshEvents> =>
  Effect.gen(function* () {
    const listed = new Map<number, ListedEvent>()
    const known: Array<ListedEvent> = []
    const fresh: Array<unknown> = []
    for (const [index, given] of rows.entries()) {
      if (index > 0 && index % rowsAtOnce === 0) yield* Effect.yieldNow
      const fingerprint = given instanceof RowText ? given.fingerprint : fingerprintOf(JSON.stringify(given))
      const same = knownEvents.withText(fingerprint)
      if (same !== undefined) {
        known.push(same)
        continue
      }
      const row = given instanceof RowText ? parsed(given.text) : given
      const id = idOfRow(row)
      const event = id === null ? undefined : { id, fingerprint, rows: rowsIn(row) }
      if (event !== undefined && knownEvents.withId?.(event.id) === true) {
        known.push(event)
        continue
      }
      if (event !== undefined) listed.set(event.id, event)
      fresh.push(row)
    }
    const { good, bad, decoded, incomplete } = yield* readEvents(fresh)
    // They are read again, because their undecodable rows may be decodable then.
    const undecodable = bad.flatMap((row) => (row.what === "event" ? [idOfBad(row)] : []))
    for (const id of [...incomplete, ...undecodable]) if (id !== null) listed.delete(id)
    return {
      good,
      bad,
      decoded: total([decoded, ...known.map((event) => event.rows)]),
      known: known.map(({ id }) => id),
      listed,
    }
  })
