import { Array as Arr, Effect, Result, Schema } from "effect"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { skip, type UndecodableItem } from "../undecodable.ts"
import { toEvent, toSeries, toTag } from "./decode.ts"
import { maybeId } from "./fields.ts"
import { WireEvent, WireMarket, WireSeries, WireTag, WireTeam } from "./wire.ts"

export interface BadRow extends UndecodableItem {
  readonly what: string
}

/** Decoded and undecodable rows. */
export interface Rows<A> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<BadRow>
  /** Number of decoded rows by type, with those nested in others. */
  readonly decoded: Readonly<Record<string, number>>
}

/** Decoded without a yield: live ticks of the same process must not wait for a whole page. */
export const rowsAtOnce = 10

/** Returns a decoder of lists of such rows. */
export const readRows = <S extends Schema.ConstraintDecoder<unknown>, A>(
  what: string,
  schema: S,
  to: (wire: S["Type"]) => A,
) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (rows: ReadonlyArray<unknown>): Effect.Effect<Rows<A>> =>
    Effect.gen(function* () {
      const good: Array<A> = []
      const bad: Array<BadRow> = []
      for (const [index, row] of rows.entries()) {
        if (index > 0 && index % rowsAtOnce === 0) yield* Effect.yieldNow
        const read = decode(row)
        if (Result.isSuccess(read)) good.push(to(read.success))
        else bad.push({ what, reason: read.failure.message, item: row })
      }
      return { good, bad, decoded: { [what]: good.length } }
    })
}

const readWireEvents = readRows("event", WireEvent, (wire) => wire)
const readWireMarkets = readRows("market", WireMarket, (wire) => wire)
const readTags = readRows("tag of an event", WireTag, toTag)
const readSeries = readRows("series of an event", WireSeries, toSeries)
const readTeams = readRows("team of an event", WireTeam, (wire) => wire)

export interface EventRows extends Rows<CatalogueEvent> {
  /** Ids of events in which undecodable rows are nested. */
  readonly incomplete: ReadonlySet<number>
}

export const readEvents = (rows: ReadonlyArray<unknown>): Effect.Effect<EventRows> =>
  Effect.gen(function* () {
    const { good, bad } = yield* readWireEvents(rows)
    const all = [...bad]
    const events: Array<CatalogueEvent> = []
    const incomplete = new Set<number>()
    const decoded: Record<string, number> = { event: good.length }
    const nested = <A>({ good, bad, decoded: counts }: Rows<A>): ReadonlyArray<A> => {
      all.push(...bad)
      for (const [what, count] of Object.entries(counts)) decoded[what] = (decoded[what] ?? 0) + count
      return good
    }
    for (const event of good) {
      const badBefore = all.length
      const parts = {
        tags: nested(yield* readTags(event.tags ?? [])),
        series: nested(yield* readSeries(event.series ?? [])),
        teams: nested(yield* readTeams(event.teams ?? [])),
        markets: nested(yield* readWireMarkets(event.markets ?? [])),
      }
      const read = toEvent(event, parts)
      events.push(read)
      if (all.length > badBefore) incomplete.add(read.id)
      yield* Effect.yieldNow
    }
    return { good: events, bad: all, decoded, incomplete }
  })

/**
 * Whether at least half of the rows of a type are undecodable, most likely because the whole response is garbled. Rows are
 * compared with rows of their own type: one event may have more markets than the page has events.
 */
export const isMostlyBad = ({ bad, decoded }: Rows<unknown>): boolean =>
  Object.entries(Arr.groupBy(bad, ({ what }) => what)).some(([what, rows]) => rows.length >= (decoded[what] ?? 0))

/** The id of an undecodable row; null if that is undecodable too. */
export const idOfBad = ({ item }: BadRow): number | null =>
  typeof item === "object" && item !== null && "id" in item ? maybeId(item.id) : null

/** Counts and logs the skipped rows by type. */
export const reportSkipped = (bad: ReadonlyArray<BadRow>) =>
  Effect.forEach(Object.entries(Arr.groupBy(bad, ({ what }) => what)), ([what, rows]) => skip("gamma", what, rows), {
    discard: true,
  })
