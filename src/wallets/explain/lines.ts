import { shares, usdc } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import { storedIds } from "#src/ledger/idLookup.ts"
import { applyFact, type TokensOf } from "#src/ledger/positions/applyFacts.ts"
import { emptyPosition, type Position } from "#src/ledger/positions/model.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"
import type { Line, State, Target } from "./model.ts"

export const nothing: State = { shares: shares(0), cost: usdc(0), realized: usdc(0), partial: false }

export const stateOf = (state: State): State => ({
  shares: state.shares,
  cost: state.cost,
  realized: state.realized,
  partial: state.partial,
})

const shownOf = (target: Target): State => {
  if (target.kind === "held") return target.state
  return target.kind === "none" ? nothing : { ...nothing, shares: target.shares, partial: true }
}

/** Applies facts one by one, and lists how each changed the positions of a wallet. */
export class Explainer {
  readonly #wallet: number
  readonly #tokens: ReadonlyArray<number>
  #targets: ReadonlyArray<Target>

  constructor(wallet: number, tokens: ReadonlyArray<number>, targets: ReadonlyArray<Target>) {
    this.#wallet = wallet
    this.#tokens = tokens
    this.#targets = targets
  }

  get targets(): ReadonlyArray<Target> {
    return this.#targets
  }

  /** `sources`: other positions that the fact takes cost from, as they were before it. */
  apply(fact: PositionFact<number>, sources: ReadonlyArray<Position>, tokensOf: TokensOf): ReadonlyArray<Line> {
    const wallet = this.#wallet
    const book = new PositionBook()
    this.#targets.forEach((target, i) => {
      const token = this.#tokens[i] as number
      if (target.kind === "held") book.add({ ...emptyPosition(wallet, token), ...target.state })
      if (target.kind === "opening") book.open(wallet, token, target.shares)
    })
    for (const source of sources) book.add({ ...source })
    applyFact(book, fact, storedIds, tokensOf)
    const changed = new Map(
      book.changed().flatMap((position) => (position.wallet === wallet ? [[position.token, position] as const] : [])),
    )
    const { block, logIndex, at } = fact
    const lines: Array<Line> = []
    this.#targets = this.#targets.map((target, i) => {
      const token = this.#tokens[i] as number
      const position = changed.get(token)
      if (position === undefined) return target
      const after = stateOf(position)
      lines.push({ block, logIndex, at, fact, token, before: shownOf(target), after })
      return { kind: "held", state: after }
    })
    return lines
  }
}
