import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import type { Fact, Resolution } from "#src/domain/Fact.ts"

type Payouts = Resolution["payouts"]

/** `id` is the ledger's id of the condition. */
export interface KnownCombo {
  readonly id: number
  readonly condition: string
  /** Tokens that must all win. */
  readonly legs: ReadonlyArray<string>
}

export interface DecidedCombo extends KnownCombo {
  readonly payouts: Payouts
}

const million = 1_000_000n

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b))

/** Payouts of YES and NO in proportion: in millionths as the contracts have them, or exact if those do not suffice. */
const payoutsOf = (won: bigint, all: bigint): Payouts => {
  if ((won * million) % all === 0n) return [(won * million) / all, million - (won * million) / all].map(Number)
  const common = divisor(won, all)
  const exact = [won / common, (all - won) / common]
  // Results of many legs with odd payouts: far more exact than any amount.
  const scale = 10n ** 15n
  const rounded = [(won * scale) / all, scale - (won * scale) / all]
  return (exact.every((part) => part <= scale) ? exact : rounded).map(Number)
}

/** What is known of conditions at one point of the chain, and which combos are decided by it. */
export class Outcomes {
  readonly #payouts = new Map<string, Payouts>()
  readonly #legacyOf = new Map<string, string>()
  readonly #newerOf = new Map<string, string>()
  readonly #combos = new Map<string, KnownCombo>()
  readonly #byLeg = new Map<string, Array<KnownCombo>>()
  readonly #affected = new Set<KnownCombo>()

  /** Returns false if the condition is already resolved: the first result stands. */
  resolve(condition: string, payouts: Payouts): boolean {
    if (this.#payouts.has(condition)) return false
    this.#payouts.set(condition, payouts)
    this.#affect(condition)
    const newer = this.#newerOf.get(condition)
    if (newer !== undefined) this.#affect(newer)
    return true
  }

  rename(condition: string, legacy: string): void {
    this.#legacyOf.set(condition, legacy)
    this.#newerOf.set(legacy, condition)
    this.#affect(condition)
  }

  add(combo: KnownCombo): void {
    if (this.#combos.has(combo.condition)) return
    this.#combos.set(combo.condition, combo)
    this.#affected.add(combo)
    for (const leg of new Set(combo.legs.map(conditionOfPosition))) {
      const combos = this.#byLeg.get(leg)
      if (combos === undefined) this.#byLeg.set(leg, [combo])
      else combos.push(combo)
    }
  }

  /** Returns false if the fact only repeats a resolution. */
  apply(fact: Fact, idOf: (condition: string) => number): boolean {
    switch (fact.kind) {
      case "resolution":
        return this.resolve(fact.condition, fact.payouts)
      case "condition_rename":
        this.rename(fact.condition, fact.legacy)
        return true
      case "combo":
        this.add({ id: idOf(fact.condition), condition: fact.condition, legs: fact.legs })
        return true
      default:
        return true
    }
  }

  /** Resolves the combos that are decided by what was added since the last call. */
  takeDecided(): ReadonlyArray<DecidedCombo> {
    if (this.#affected.size === 0) return []
    const decided: Array<DecidedCombo> = []
    for (const combo of this.#affected) {
      const payouts = this.#payouts.has(combo.condition) ? undefined : this.#resultOf(combo)
      if (payouts === undefined) continue
      this.#payouts.set(combo.condition, payouts)
      decided.push({ ...combo, payouts })
    }
    this.#affected.clear()
    return decided.sort((a, b) => a.id - b.id)
  }

  #affect(leg: string): void {
    for (const combo of this.#byLeg.get(leg) ?? []) this.#affected.add(combo)
  }

  /** YES pays the product of what the legs pay. One lost leg decides, also while others are open. */
  #resultOf({ legs }: KnownCombo): Payouts | undefined {
    let [won, all, isOpen] = [1n, 1n, false]
    for (const leg of legs) {
      const condition = conditionOfPosition(leg)
      // The newer contracts take over the result of the older ones only when somebody asks them to; it cannot be another.
      const payouts = this.#payouts.get(condition) ?? this.#payouts.get(this.#legacyOf.get(condition) ?? "")
      if (payouts === undefined) {
        isOpen = true
        continue
      }
      const paid = payouts[Number.parseInt(leg.slice(62), 16)] ?? 0
      if (paid === 0) return payoutsOf(0n, 1n)
      won *= BigInt(paid)
      all *= BigInt(payouts.reduce((sum, payout) => sum + payout, 0))
    }
    return isOpen ? undefined : payoutsOf(won, all)
  }
}
