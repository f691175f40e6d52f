import { hash } from "node:crypto"
import { Effect } from "effect"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { maybeId } from "./fields.ts"
import { type Rows, readEvents, rowsAtOnce } from "./rows.ts"

/** Whether a caller has the row of an event already; the fingerprint is of its text. */
export type IsKnown = (id: number, fingerprint: string) => boolean

export interface FreshEvents extends Rows<CatalogueEvent> {
  readonly known: ReadonlyArray<number>
  readonly fingerprints: ReadonlyMap<number, string>
}

const nested = { markets: "market", tags: "tag of an event", series: "series of an event", teams: "team of an event" }

const idOfRow = (row: unknown) => (typeof row === "object" && row !== null && "id" in row ? maybeId(row.id) : null)

const fingerprintOf = (row: unknown) => hash("sha1", JSON.stringify(row), "base64")

/** A row that is known counts as decoded, like the rows nested in it. */
const countKnown = (decoded: Readonly<Record<string, number>>, rows: ReadonlyArray<unknown>) => {
  const counts: Record<string, number> = { ...decoded }
  const add = (what: string, count: number) => {
    counts[what] = (counts[what] ?? 0) + count
  }
  for (const row of rows) {
    add("event", 1)
    for (const [field, list] of Object.entries(row as Record<string, unknown>)) {
      const what = (nested as Readonly<Record<string, string>>)[field]
      if (what !== undefined && Array.isArray(list)) add(what, list.length)
    }
  }
  return counts
}

/** Decodes the rows that the caller does not have. */
export const readFreshEvents = (rows: ReadonlyArray<unknown>, isKnown: IsKnown): Effect.Effect<FreshEvents> =>
  Effect.gen(function* () {
    const fingerprints = new Map<number, string>()
    const known = new Map<number, unknown>()
    const fresh: Array<unknown> = []
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % rowsAtOnce === 0) yield* Effect.yieldNow
      const id = idOfRow(row)
      const fingerprint = fingerprintOf(row)
      if (id !== null && isKnown(id, fingerprint)) {
        known.set(id, row)
        continue
      }
      if (id !== null) fingerprints.set(id, fingerprint)
      fresh.push(row)
    }
    const { good, bad, decoded, incomplete } = yield* readEvents(fresh)
    // They are read again, because their undecodable rows may be decodable then.
    for (const id of incomplete) fingerprints.delete(id)
    return {
      good,
      bad,
      decoded: countKnown(decoded, [...known.values()]),
      known: [...known.keys()],
      fingerprints,
    }
  })
