import type { RemainingConditionsNo, SyntheticConditionYes } from "#src/upstream/chain/events.ts"
import type { Transaction } from "./Transaction.ts"

/** In millionths, as the contracts have them. */
const [yes, no] = [
  [1_000_000, 0],
  [0, 1_000_000],
] as const

/** An event of Protocol V2: module 8 bits, hash 128, number of conditions 16, reserved 64, chain 16; the rest is the condition. */
const countOf = (event: string): number => Number.parseInt(event.slice(34, 38), 16)

const conditionAt = (event: string, index: number): string =>
  `${event.slice(0, 58)}${index.toString(16).padStart(4, "0")}00`

/** One condition is YES: all others are NO, also the synthetic one for any other outcome, which comes last. */
export const readRemainingNo = (transaction: Transaction, { event }: RemainingConditionsNo, index: number): void => {
  const resolved = new Set(transaction.facts.flatMap((fact) => (fact.kind === "resolution" ? [fact.condition] : [])))
  for (let i = 0; i <= countOf(event); i++) {
    const condition = conditionAt(event, i)
    if (!resolved.has(condition)) transaction.add(index, { kind: "resolution", sub: i + 1, condition, payouts: no })
  }
}

/** All named conditions are NO: the synthetic one for any other outcome is YES. */
export const readSyntheticYes = (transaction: Transaction, event: SyntheticConditionYes, index: number): void => {
  transaction.add(index, { kind: "resolution", sub: 1, condition: event.condition, payouts: yes })
}
