import { Array as Arr, Effect, Result, Schema } from "effect"
import { passOver, type Unread } from "../undecodable.ts"
import { toEvent } from "./decode.ts"
import { WireEvent, WireMarket } from "./wire.ts"

export interface BadRow extends Unread {
  readonly what: string
}

/** Rows that could be read, and those that could not. */
export interface Rows<A> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<BadRow>
}

/** A reader of lists whose rows have this shape. */
export const readRows = <S extends Schema.ConstraintDecoder<unknown>, A>(
  what: string,
  schema: S,
  to: (wire: S["Type"]) => A,
) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (rows: ReadonlyArray<unknown>): Rows<A> => {
    const good: Array<A> = []
    const bad: Array<BadRow> = []
    for (const row of rows) {
      const read = decode(row)
      if (Result.isSuccess(read)) good.push(to(read.success))
      else bad.push({ what, reason: read.failure.message, item: row })
    }
    return { good, bad }
  }
}

const readWireEvents = readRows("event", WireEvent, (wire) => wire)
const readWireMarkets = readRows("market", WireMarket, (wire) => wire)

export const readEvents = (rows: ReadonlyArray<unknown>) => {
  const { good, bad } = readWireEvents(rows)
  const all = [...bad]
  const events = good.map((event) => {
    const markets = readWireMarkets(event.markets ?? [])
    all.push(...markets.bad)
    return toEvent(event, markets.good)
  })
  return { good: events, bad: all }
}

/** Counts what was passed over, by what it was to be. */
export const report = (bad: ReadonlyArray<BadRow>) =>
  Effect.forEach(
    Object.entries(Arr.groupBy(bad, ({ what }) => what)),
    ([what, rows]) => passOver("gamma", what, rows),
    { discard: true },
  )
