import { Array as Arr, Effect, Result, Schema } from "effect"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { skip, type UndecodableItem } from "../undecodable.ts"
import { toEvent } from "./decode.ts"
import { WireEvent, WireMarket } from "./wire.ts"

export interface BadRow extends UndecodableItem {
  readonly what: string
}

/** Decoded and undecodable rows. */
export interface Rows<A> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<BadRow>
}

/** Decoded without a yield: live ticks of the same process must not wait for a whole page. */
const rowsAtOnce = 10

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
      return { good, bad }
    })
}

const readWireEvents = readRows("event", WireEvent, (wire) => wire)
const readWireMarkets = readRows("market", WireMarket, (wire) => wire)

export const readEvents = (rows: ReadonlyArray<unknown>): Effect.Effect<Rows<CatalogueEvent>> =>
  Effect.gen(function* () {
    const { good, bad } = yield* readWireEvents(rows)
    const all = [...bad]
    const events: Array<CatalogueEvent> = []
    for (const event of good) {
      const markets = yield* readWireMarkets(event.markets ?? [])
      all.push(...markets.bad)
      events.push(toEvent(event, markets.good))
      yield* Effect.yieldNow
    }
    return { good: events, bad: all }
  })

/** Counts and logs the skipped rows by type. */
export const reportSkipped = (bad: ReadonlyArray<BadRow>) =>
  Effect.forEach(Object.entries(Arr.groupBy(bad, ({ what }) => what)), ([what, rows]) => skip("gamma", what, rows), {
    discard: true,
  })
