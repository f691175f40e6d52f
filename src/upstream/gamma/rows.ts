import { Effect, Metric, Result, Schema } from "effect"
import { toEvent } from "./decode.ts"
import { WireEvent, WireMarket } from "./wire.ts"

export interface BadRow {
  readonly what: string
  readonly why: string
  readonly sample: string
}

/** Rows that could be read, and those that could not. */
export interface Rows<A> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<BadRow>
}

const undecodable = (what: string) =>
  Metric.counter("presage_upstream_undecodable_total", {
    description: "Rows and messages of upstreams that could not be read and were passed over",
    incremental: true,
    attributes: { upstream: "gamma", what },
  })

const badRow = (what: string, error: { readonly message: string }, row: unknown): BadRow => ({
  what,
  why: error.message.slice(0, 300),
  sample: (JSON.stringify(row) ?? "").slice(0, 300),
})

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
      else bad.push(badRow(what, read.failure, row))
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

/** Counts what was passed over, and shows one of each kind. */
export const report = (bad: ReadonlyArray<BadRow>, where: string) =>
  Effect.forEach(
    new Set(bad.map(({ what }) => what)),
    (what) => {
      const rows = bad.filter((row) => row.what === what)
      return Effect.andThen(
        Metric.update(undecodable(what), rows.length),
        Effect.logWarning(
          `gamma: passed over ${rows.length} ${what}(s) of ${where}: ${rows[0]?.why}; one is ${rows[0]?.sample}`,
        ),
      )
    },
    { discard: true },
  )
