import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import * as RowStore from "./RowStore.ts"
import type { FactRow, FillRow, MarketRow, SettlementRow } from "./rows.ts"

export type FactTable = keyof typeof RowStore.facts

export type RowOf<K extends FactTable> = Effect.Success<ReturnType<(typeof RowStore.facts)[K]>>[number]

/** Collects the rows that log entries refer to. */
export class RowNeeds {
  /** Blocks whose facts are needed, by table. */
  readonly blocks = new Map<FactTable, Set<number>>()
  readonly settlements = new Set<bigint>()
  readonly markets = new Set<number>()

  facts(table: FactTable, block: number): void {
    const blocks = this.blocks.get(table)
    if (blocks === undefined) this.blocks.set(table, new Set([block]))
    else blocks.add(block)
  }
}

/** The needed rows that still exist. */
export interface LoadedRows {
  readonly fact: <K extends FactTable>(table: K, block: number, logIndex: number, sub?: number) => RowOf<K> | undefined
  /** The fact's index among the facts of its table and transaction: the same in any block that includes it. */
  readonly ordinal: (table: FactTable, fact: FactRow) => number
  /** In chain order. */
  readonly fillsOf: (tx: string, block: number) => ReadonlyArray<FillRow>
  readonly settlement: (id: bigint) => SettlementRow | undefined
  readonly market: (id: number) => MarketRow | undefined
}

type Facts = { readonly [K in FactTable]: ReadonlyMap<string, RowOf<K>> }

const factKey = ({ block, log_index }: Pick<FactRow, "block" | "log_index">, sub = 0) => `${block}:${log_index}:${sub}`

const subOf = (row: FactRow) => ("sub" in row ? Number(row.sub) : 0)

const byKey = <Row extends FactRow>(rows: ReadonlyArray<Row>): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [factKey(row, subOf(row)), row]))

const inChainOrder = (a: FactRow, b: FactRow) => a.block - b.block || a.log_index - b.log_index || subOf(a) - subOf(b)

const byTransaction = <Row extends FactRow>(rows: ReadonlyMap<string, Row>) =>
  Map.groupBy([...rows.values()].sort(inChainOrder), (row) => `${row.block}:${row.tx}`)

const ordinalsOf = (rows: ReadonlyMap<string, FactRow>): ReadonlyMap<FactRow, number> =>
  new Map([...byTransaction(rows).values()].flatMap((facts) => facts.map((fact, ordinal) => [fact, ordinal] as const)))

/** Loads the needed rows: concurrently, with one query per table. */
export const loadRows = Effect.fnUntraced(function* (sql: SqlClient, needs: RowNeeds) {
  const inBlocks = <Row extends FactRow>(
    table: FactTable,
    read: (sql: SqlClient, blocks: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  ): Effect.Effect<ReadonlyMap<string, Row>, SqlError> => {
    const blocks = needs.blocks.get(table)
    return blocks === undefined ? Effect.succeed(new Map()) : Effect.map(read(sql, [...blocks]), byKey)
  }
  const { facts } = RowStore
  const found = yield* Effect.all(
    {
      fill: inBlocks("fill", facts.fill),
      split: inBlocks("split", facts.split),
      merge: inBlocks("merge", facts.merge),
      redemption: inBlocks("redemption", facts.redemption),
      conversion: inBlocks("conversion", facts.conversion),
      transfer: inBlocks("transfer", facts.transfer),
      resolution: inBlocks("resolution", facts.resolution),
      combo: inBlocks("combo", facts.combo),
      fee_charge: inBlocks("fee_charge", facts.fee_charge),
      collateral_flow: inBlocks("collateral_flow", facts.collateral_flow),
      settlements:
        needs.settlements.size === 0 ? Effect.succeed([]) : RowStore.settlements(sql, [...needs.settlements]),
      markets: needs.markets.size === 0 ? Effect.succeed([]) : RowStore.markets(sql, [...needs.markets]),
    },
    { concurrency: "unbounded" },
  )
  const settlements = new Map(found.settlements.map((row) => [row.id, row]))
  const markets = new Map(found.markets.map((row) => [row.id, row]))
  let byTx: ReadonlyMap<string, ReadonlyArray<FillRow>> | undefined
  const ordinals = new Map<FactTable, ReadonlyMap<FactRow, number>>()
  const loaded: LoadedRows = {
    fact: (table, block, logIndex, sub) =>
      (found satisfies Facts as Facts)[table].get(factKey({ block, log_index: logIndex }, sub)),
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
