import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Resolution } from "#src/domain/Fact.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { insertFacts } from "../factRows.ts"
import { comboResolution, firstComboSub } from "./derive.ts"
import * as OutcomeStore from "./OutcomeStore.ts"
import { Outcomes } from "./Outcomes.ts"

/** A resolution that follows from others, with the ledger's id of its condition. */
export interface DerivedResolution extends Resolution {
  readonly id: number
}

const inChainOrder = (a: OutcomeStore.PlaceRow, b: OutcomeStore.PlaceRow) =>
  a.block - b.block || a.log_index - b.log_index

const keyOf = ({ block, logIndex, sub, at, tx, payouts }: Omit<Resolution, "kind" | "condition">) =>
  [block, logIndex, sub, at, tx, ...payouts].join()

/** Compares the resolutions of combos with those that follow from the stored legs. */
export const comboDifferences = Effect.fnUntraced(function* (sql: SqlClient) {
  const combos = yield* OutcomeStore.allCombos(sql)
  if (combos.length === 0) return { missing: [], surplus: [] }
  const renames = yield* OutcomeStore.allRenames(sql)
  const results = yield* OutcomeStore.allResults(sql)
  const outcomes = new Outcomes()
  const steps = [
    ...results
      .filter(({ sub }) => sub <= firstComboSub)
      .map((row) => ({ row, apply: () => outcomes.resolve(row.condition, row.payouts) })),
    ...renames.map((row) => ({ row, apply: () => outcomes.rename(row.condition, row.legacy) })),
    ...combos.map((row) => ({ row, apply: () => outcomes.add(row) })),
  ].sort((a, b) => inChainOrder(a.row, b.row))
  const expected = new Map<string, DerivedResolution>()
  steps.forEach(({ row, apply }, i) => {
    apply()
    const next = steps[i + 1]
    if (next !== undefined && inChainOrder(row, next.row) === 0) return
    const position = { block: row.block, logIndex: row.log_index, at: row.at.getTime(), tx: row.tx }
    for (const combo of outcomes.takeDecided()) {
      const resolution = { ...comboResolution(position, combo), id: combo.id }
      expected.set(keyOf(resolution), resolution)
    }
  })
  const surplus: Array<number> = []
  for (const row of results.filter(({ sub }) => sub > firstComboSub)) {
    const { block, log_index: logIndex, sub, at, tx, payouts } = row
    if (!expected.delete(keyOf({ block, logIndex, sub, at: at.getTime(), tx, payouts }))) surplus.push(row.id)
  }
  return { missing: [...expected.values()], surplus }
})

/** Adds and removes resolutions of combos, so that they follow from the stored legs. Returns what was added. */
export const repairCombos = Effect.fnUntraced(function* (sql: SqlClient) {
  const { missing, surplus } = yield* comboDifferences(sql)
  if (surplus.length > 0) yield* sql`delete from resolution where condition = any(${pgArray("int4", surplus)})`
  const known = new Map(missing.map(({ condition, id }) => [condition, id]))
  const condition = (name: string) => known.get(name) as number
  yield* insertFacts(sql, missing, { wallet: condition, token: condition, builder: condition, condition })
  return missing
})
