import type { Moment } from "#src/domain/Fact.ts"
import { costOfPart, payoutOf } from "./cost.ts"
import { Holdings } from "./Holdings.ts"
import { emptyPosition, type Position, type RealizedEvent, type RealizedKind } from "./model.ts"
import type { UndoNotes } from "./undo.ts"

export interface Trade {
  readonly shares: number
  readonly usd: number
  /** In collateral; part of the price. */
  readonly fee: number
  /** Withheld from the bought shares. */
  readonly feeShares: number
}

/** Tokens given and taken, as many of each. */
export interface TokenExchange {
  readonly given: ReadonlyArray<number>
  readonly taken: ReadonlyArray<number>
  readonly amount: number
  readonly received: number
  /** Collateral received, or paid (negative). */
  readonly paid: number
}

/** Equal parts of an amount; the last gets the rest. */
const inParts = (amount: number, count: number): ReadonlyArray<number> => {
  const part = Math.trunc(amount / count)
  return Array.from({ length: count }, (_, i) => (i === count - 1 ? amount - part * (count - 1) : part))
}

/**
 * The rules of profit and loss, applied in chain order to a set of positions. The caller adds every stored position that a
 * fact touches before it applies the fact.
 */
export class PositionBook {
  readonly #positions = new Holdings()
  readonly #changed = new Set<Position>()
  /** Positions with shares from before the ledger that no fact has touched yet. */
  readonly #opened = new Set<Position>()
  readonly #events: Array<RealizedEvent> = []
  readonly #undo: UndoNotes | undefined

  /** `undo` is only needed for blocks that may still be replaced. */
  constructor(undo?: UndoNotes) {
    this.#undo = undo
  }

  /** Adds a stored position. Returns false if the book already has it. */
  add(position: Position): boolean {
    if (this.#positions.get(position.wallet, position.token) !== undefined) return false
    this.#positions.set(position)
    return true
  }

  /** Adds a position with shares from before the ledger's first block. Returns false if the book already has it. */
  open(wallet: number, token: number, shares: number): boolean {
    const position = { ...emptyPosition(wallet, token), shares, partial: true }
    const isAdded = this.add(position)
    if (isAdded) this.#opened.add(position)
    return isAdded
  }

  /** The position as it is now; undefined if the book does not have it. */
  get(wallet: number, token: number): Position | undefined {
    return this.#positions.get(wallet, token)
  }

  /** In index order, so that rows written together are stored and found together. */
  changed(): ReadonlyArray<Position> {
    return [...this.#changed].sort((a, b) => a.token - b.token || a.wallet - b.wallet)
  }

  events(): ReadonlyArray<RealizedEvent> {
    return this.#events
  }

  buy(moment: Moment, wallet: number, token: number, { shares, usd, fee, feeShares }: Trade): void {
    const position = this.#trade(moment, wallet, token, usd)
    const received = shares - feeShares
    position.shares += received
    position.bought += received
    position.paid += usd
    this.#addCost(position, usd + fee)
  }

  sell(moment: Moment, wallet: number, token: number, { shares, usd, fee }: Trade): void {
    const position = this.#trade(moment, wallet, token, usd)
    position.sold += shares
    this.#realize(moment, position, "sale", usd - fee - this.#remove(position, shares))
  }

  refundShares(moment: Moment, wallet: number, token: number, shares: number): void {
    const position = this.#touch(moment, wallet, token)
    position.shares += shares
    position.bought += shares
  }

  refundCollateral(moment: Moment, wallet: number, token: number, amount: number): void {
    this.#realize(moment, this.#touch(moment, wallet, token), "refund", amount)
  }

  /** `paid` is the collateral received, or given (negative) for the shares. */
  changeStock(moment: Moment, wallet: number, token: number, shares: number, paid: number): void {
    const position = this.#touch(moment, wallet, token)
    if (shares >= 0) {
      this.#receive(position, shares, -paid)
      return
    }
    position.sold -= shares
    this.#realize(moment, position, "sale", paid - this.#remove(position, -shares))
  }

  /** Each outcome gets half of the cost; the second gets the odd unit. */
  split(moment: Moment, wallet: number, tokens: readonly [number, number], amount: number): void {
    const half = Math.floor(amount / 2)
    this.#receive(this.#touch(moment, wallet, tokens[0]), amount, half)
    this.#receive(this.#touch(moment, wallet, tokens[1]), amount, amount - half)
  }

  merge(moment: Moment, wallet: number, tokens: readonly [number, number], amount: number): void {
    const half = Math.floor(amount / 2)
    for (const [token, received] of [
      [tokens[0], half],
      [tokens[1], amount - half],
    ] as const) {
      const position = this.#touch(moment, wallet, token)
      position.sold += amount
      this.#realize(moment, position, "merge", received - this.#remove(position, amount))
    }
  }

  /** Realizes nothing: the cost of the tokens given, less the payout, becomes the cost of those received. */
  convert(moment: Moment, wallet: number, { given, taken, amount, received, paid }: TokenExchange): void {
    if (taken.length === 0) {
      this.#cashIn(moment, wallet, given, amount, paid)
      return
    }
    const sources = given.map((token) => this.#touch(moment, wallet, token))
    const cost = sources.reduce((sum, position) => sum + this.#remove(position, amount), -paid)
    const isPartial = sources.some(({ partial }) => partial)
    const shares = inParts(cost, taken.length)
    taken.forEach((token, i) => {
      const position = this.#touch(moment, wallet, token)
      if (isPartial) this.#makePartial(position)
      this.#receive(position, received, shares[i] ?? 0)
    })
  }

  /** Each token gets an equal part of what is paid for all of them. */
  #cashIn(moment: Moment, wallet: number, tokens: ReadonlyArray<number>, amount: number, paid: number): void {
    const proceeds = inParts(paid, tokens.length)
    tokens.forEach((token, i) => {
      const position = this.#touch(moment, wallet, token)
      position.sold += amount
      this.#realize(moment, position, "merge", (proceeds[i] ?? 0) - this.#remove(position, amount))
    })
  }

  transfer(moment: Moment, sender: number, receiver: number, token: number, shares: number): void {
    const source = this.#touch(moment, sender, token)
    const cost = this.#remove(source, shares)
    const position = this.#touch(moment, receiver, token)
    if (source.partial) this.#makePartial(position)
    position.shares += shares
    this.#addCost(position, cost)
  }

  /** Values every holding at its payout; the shares stay until they are redeemed. */
  resolve(moment: Moment, token: number, numerator: number, denominator: number): void {
    for (const position of [...this.#positions.holdersOf(token)].sort((a, b) => a.wallet - b.wallet)) {
      if (position.shares === 0 || this.#opened.has(position)) continue
      this.#mark(moment, position, position)
      const worth = payoutOf(position.shares, numerator, denominator)
      this.#realize(moment, position, "resolution", worth - position.cost)
      position.cost = 0
    }
  }

  /**
   * The resolution has realized the gain and left no cost. Combos and some conditions of neg-risk events have no log of
   * their resolution: their payout is realized here. It is unknown (undefined) if several tokens are redeemed together.
   */
  redeem(moment: Moment, wallet: number, token: number, shares: number, payout: number | undefined): void {
    const position = this.#touch(moment, wallet, token)
    const cost = this.#remove(position, shares)
    position.redeemed = true
    if (cost !== 0 && payout !== undefined) this.#realize(moment, position, "resolution", payout - cost)
  }

  #touch(moment: Moment, wallet: number, token: number): Position {
    const known = this.#positions.get(wallet, token)
    const position = known ?? emptyPosition(wallet, token)
    if (known === undefined) this.#positions.set(position)
    const isNew = this.#opened.delete(position)
    this.#mark(moment, position, isNew ? undefined : known)
    return position
  }

  #trade(moment: Moment, wallet: number, token: number, usd: number): Position {
    const position = this.#touch(moment, wallet, token)
    position.volume += usd
    position.tradedAt = moment.at
    return position
  }

  /** Must precede any other change to the position. */
  #mark({ block, at }: Moment, position: Position, before: Position | undefined): void {
    this.#undo?.record(block, position, before)
    position.changedAt = at
    this.#changed.add(position)
  }

  #receive(position: Position, shares: number, cost: number): void {
    position.shares += shares
    position.bought += shares
    position.paid += cost
    this.#addCost(position, cost)
  }

  #addCost(position: Position, cost: number): void {
    if (!position.partial) position.cost += cost
  }

  /** Shares of unknown cost have been added, so that the cost of all of them is unknown. */
  #makePartial(position: Position): void {
    position.partial = true
    position.cost = 0
  }

  #remove(position: Position, shares: number): number {
    const cost = costOfPart(position.cost, shares, position.shares)
    position.shares -= shares
    position.cost -= cost
    return cost
  }

  #realize({ block, logIndex, at }: Moment, position: Position, kind: RealizedKind, amount: number): void {
    if (position.partial) return
    position.realized += amount
    if (amount > 0) {
      position.profit += amount
      position.wins += 1
    } else if (amount < 0) position.losses += 1
    this.#events.push({ block, logIndex, at, wallet: position.wallet, token: position.token, kind, amount })
  }
}
