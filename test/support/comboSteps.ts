import type { ComboStep, Facts } from "#src/simulator/world/Facts.ts"

const kinds: Readonly<Partial<Record<ComboStep["operation"], "split" | "merge">>> = {
  split_collateral: "split",
  merge_collateral: "merge",
}

/** The fact as which the ledger reads a step of a change of combos. */
export const factKindOf = ({ operation }: ComboStep) => kinds[operation] ?? "conversion"

/** Every step of a transaction is a fact of its own. */
export const stepsOf = (facts: Facts, tx: number): ReadonlyArray<ComboStep> => facts.comboChanges.get(tx) ?? []

/** How many facts of a kind the changes of combos are. */
export const countSteps = (facts: Facts, kind: "split" | "merge" | "conversion"): number =>
  [...facts.comboChanges.values()].flat().filter((step) => factKindOf(step) === kind).length
