import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type FactStore, factStore, placeOf } from "./FactStore.ts"
import { grouped } from "./grouped.ts"
import { marketRowStore } from "./MarketRowStore.ts"
import type { FillRow, MarketRow, PlaceRow, SettlementRow } from "./rows.ts"
import { settlementRowStore } from "./SettlementRowStore.ts"

export type FactTable = keyof FactStore

export type RowOf<K extends FactTable> = Effect.Success<ReturnType<FactStore[K]>>[number]

/** What entries of the log refer to. */
export class Needs {
  /** Blocks whose facts of a kind are wanted. */
  readonly blocks = new Map<FactTable, Set<number>>()
  readonly settlements = new Set<bigint>()
  readonly markets = new Set<number>()

  factsOf(table: FactTable, block: number): void {
    const there = this.blocks.get(table)
    if (there === undefined) this.blocks.set(table, new Set([block]))
    else there.add(block)
  }
}

/** The rows that entries refer to, as far as they are still there. */
export interface Loaded {
  readonly fact: <K extends FactTable>(table: K, block: number, logIndex: number, sub?: number) => RowOf<K> | undefined
  /** Which fact of its table it is in its transaction, from 0: the same in whatever block that is. */
  readonly ordinal: (table: FactTable, fact: PlaceRow) => number
  /** In the order of the chain. */
  readonly fillsOf: (tx: string, block: number) => ReadonlyArray<FillRow>
  readonly settlement: (id: bigint) => SettlementRow | undefined
  readonly market: (id: number) => MarketRow | undefined
}

type Facts = { readonly [K in FactTable]: ReadonlyMap<string, RowOf<K>> }

const subOf = (row: PlaceRow) => ("sub" in row ? Number(row.sub) : 0)

const byPlace = <Row extends PlaceRow>(rows: ReadonlyArray<Row>): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [placeOf(row, subOf(row)), row]))

const inOrder = (a: PlaceRow, b: PlaceRow) => a.block - b.block || a.log_index - b.log_index || subOf(a) - subOf(b)

const byTransaction = <Row extends PlaceRow>(rows: ReadonlyMap<string, Row>) =>
  grouped([...rows.values()].sort(inOrder), (row) => `${row.block}:${row.tx}`)

const ordinalsOf = (rows: ReadonlyMap<string, PlaceRow>): ReadonlyMap<PlaceRow, number> =>
  new Map([...byTransaction(rows).values()].flatMap((facts) => facts.map((fact, ordinal) => [fact, ordinal] as const)))

/** Reads what is needed: one query of each table that is concerned, side by side. */
export const rowsOf = Effect.gen(function* () {
  const postgres = yield* Postgres
  const facts = factStore(postgres)
  const settlementsOf = settlementRowStore(postgres)
  const marketsOf = marketRowStore(postgres)

  return Effect.fnUntraced(function* (needs: Needs) {
    const within = <Row extends PlaceRow>(
      table: FactTable,
      read: (blocks: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
    ): Effect.Effect<ReadonlyMap<string, Row>, SqlError> => {
      const blocks = needs.blocks.get(table)
      return blocks === undefined ? Effect.succeed(new Map()) : Effect.map(read([...blocks]), byPlace)
    }
    const found = yield* Effect.all(
      {
        fill: within("fill", facts.fill),
        split: within("split", facts.split),
        merge: within("merge", facts.merge),
        redemption: within("redemption", facts.redemption),
        conversion: within("conversion", facts.conversion),
        transfer: within("transfer", facts.transfer),
        resolution: within("resolution", facts.resolution),
        combo: within("combo", facts.combo),
        fee_charge: within("fee_charge", facts.fee_charge),
        collateral_flow: within("collateral_flow", facts.collateral_flow),
        settlements: needs.settlements.size === 0 ? Effect.succeed([]) : settlementsOf([...needs.settlements]),
        markets: needs.markets.size === 0 ? Effect.succeed([]) : marketsOf([...needs.markets]),
      },
      { concurrency: "unbounded" },
    )
    const settlements = new Map(found.settlements.map((row) => [row.id, row]))
    const markets = new Map(found.markets.map((row) => [row.id, row]))
    let byTx: ReadonlyMap<string, ReadonlyArray<FillRow>> | undefined
    const ordinals = new Map<FactTable, ReadonlyMap<PlaceRow, number>>()
    const loaded: Loaded = {
      fact: (table, block, logIndex, sub) =>
        (found satisfies Facts as Facts)[table].get(placeOf({ block, log_index: logIndex }, sub)),
      ordinal: (table, fact) => {
        const known = ordinals.get(table) ?? ordinalsOf(found[table])
        ordinals.set(table, known)
        return known.get(fact) ?? 0
      },
      fillsOf: (tx, block) => {
        byTx ??= byTransaction(found.fill)
        return byTx.get(`${block}:${tx}`) ?? []
      },
      settlement: (id) => settlements.get(id),
      market: (id) => markets.get(id),
    }
    return loaded
  })
})
