import { minus, negated, plus, type Shares, type Usdc, usdc, worthOfPairs } from "#src/domain/amounts.ts"
import type { Moment } from "#src/domain/Fact.ts"
import { costOfPart, payoutOf } from "./cost.ts"
import { Holdings } from "./Holdings.ts"
import { emptyPosition, type Position, type RealizedEvent, type RealizedKind } from "./model.ts"
import type { UndoNotes } from "./undo.ts"

export interface BookedTrade {
  readonly shares: Shares
  readonly usd: Usdc
  /** In collateral; part of the price. */
  readonly fee: Usdc
  /** Withheld from the bought shares. */
  readonly feeShares: Shares
}

/** Tokens given and taken, as many of each. */
export interface TokenExchange {
  readonly given: ReadonlyArray<number>
  readonly taken: ReadonlyArray<number>
  readonly amount: Shares
  readonly received: Shares
  /** Collateral received, or paid (negative). */
  readonly paid: Usdc
}

/** Equal parts of an amount; the last gets the rest. */
const inParts = (amount: Usdc, count: number): ReadonlyArray<Usdc> => {
  const part = Math.trunc(amount / count)
  return Array.from({ length: count }, (_, i) => usdc(i === count - 1 ? amount - part * (count - 1) : part))
}

/** What a pair of outcomes cost or brought, by outcome; the second gets the odd unit. */
const halvesOf = (pairs: Shares): readonly [Usdc, Usdc] => {
  const all = worthOfPairs(pairs)
  const half = usdc(Math.floor(all / 2))
  return [half, minus(all, half)]
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
  open(wallet: number, token: number, shares: Shares): boolean {
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

  buy(moment: Moment, wallet: number, token: number, { shares, usd, fee, feeShares }: BookedTrade): void {
    const position = this.#trade(moment, wallet, token, usd)
    const received = minus(shares, feeShares)
    position.shares = plus(position.shares, received)
    position.bought = plus(position.bought, received)
    position.paid = plus(position.paid, usd)
    this.#addCost(position, plus(usd, fee))
  }

  sell(moment: Moment, wallet: number, token: number, { shares, usd, fee }: BookedTrade): void {
    const position = this.#trade(moment, wallet, token, usd)
    position.sold = plus(position.sold, shares)
    this.#realize(moment, position, "sale", minus(minus(usd, fee), this.#remove(position, shares)))
  }

  refundShares(moment: Moment, wallet: number, token: number, shares: Shares): void {
    const position = this.#touch(moment, wallet, token)
    position.shares = plus(position.shares, shares)
    position.bought = plus(position.bought, shares)
  }

  refundCollateral(moment: Moment, wallet: number, token: number, amount: Usdc): void {
    this.#realize(moment, this.#touch(moment, wallet, token), "refund", amount)
  }

  /** `paid` is the collateral received, or given (negative) for the shares. */
  changeStock(moment: Moment, wallet: number, token: number, shares: Shares, paid: Usdc): void {
    const position = this.#touch(moment, wallet, token)
    if (shares >= 0) {
      this.#receive(position, shares, negated(paid))
      return
    }
    position.sold = minus(position.sold, shares)
    this.#realize(moment, position, "sale", minus(paid, this.#remove(position, negated(shares))))
  }

  split(moment: Moment, wallet: number, tokens: readonly [number, number], amount: Shares): void {
    const [first, second] = halvesOf(amount)
    this.#receive(this.#touch(moment, wallet, tokens[0]), amount, first)
    this.#receive(this.#touch(moment, wallet, tokens[1]), amount, second)
  }

  merge(moment: Moment, wallet: number, tokens: readonly [number, number], amount: Shares): void {
    const [first, second] = halvesOf(amount)
    for (const [token, received] of [
      [tokens[0], first],
      [tokens[1], second],
    ] as const) {
      const position = this.#touch(moment, wallet, token)
      position.sold = plus(position.sold, amount)
      this.#realize(moment, position, "merge", minus(received, this.#remove(position, amount)))
    }
  }

  /** Realizes nothing: the cost of the tokens given, less the payout, becomes the cost of those received. */
  convert(moment: Moment, wallet: number, { given, taken, amount, received, paid }: TokenExchange): void {
    if (taken.length === 0) {
      this.#cashIn(moment, wallet, given, amount, paid)
      return
    }
    const sources = given.map((token) => this.#touch(moment, wallet, token))
    const cost = sources.reduce((sum, position) => plus(sum, this.#remove(position, amount)), negated(paid))
    const isPartial = sources.some(({ partial }) => partial)
    const costs = inParts(cost, taken.length)
    taken.forEach((token, i) => {
      const position = this.#touch(moment, wallet, token)
      if (isPartial) this.#makePartial(position)
      this.#receive(position, received, costs[i] ?? usdc(0))
    })
  }

  /** Each token gets an equal part of what is paid for all of them. */
  #cashIn(moment: Moment, wallet: number, tokens: ReadonlyArray<number>, amount: Shares, paid: Usdc): void {
    const proceeds = inParts(paid, tokens.length)
    tokens.forEach((token, i) => {
      const position = this.#touch(moment, wallet, token)
      position.sold = plus(position.sold, amount)
      this.#realize(moment, position, "merge", minus(proceeds[i] ?? usdc(0), this.#remove(position, amount)))
    })
  }

  transfer(moment: Moment, sender: number, receiver: number, token: number, shares: Shares): void {
    const source = this.#touch(moment, sender, token)
    const cost = this.#remove(source, shares)
    const position = this.#touch(moment, receiver, token)
    if (source.partial) this.#makePartial(position)
    position.shares = plus(position.shares, shares)
    this.#addCost(position, cost)
  }

  /** Values every holding at its payout; the shares stay until they are redeemed. */
  resolve(moment: Moment, token: number, numerator: number, denominator: number): void {
    for (const position of [...this.#positions.holdersOf(token)].sort((a, b) => a.wallet - b.wallet)) {
      if (position.shares === 0 || this.#opened.has(position)) continue
      this.#mark(moment, position, position)
      const worth = payoutOf(position.shares, numerator, denominator)
      this.#realize(moment, position, "resolution", minus(worth, position.cost))
      position.cost = usdc(0)
    }
  }

  /**
   * The resolution has realized the gain and left no cost. Combos and some conditions of neg-risk events have no log of
   * their resolution: their payout is realized here. It is unknown (undefined) if several tokens are redeemed together.
   */
  redeem(moment: Moment, wallet: number, token: number, shares: Shares, payout: Usdc | undefined): void {
    const position = this.#touch(moment, wallet, token)
    const cost = this.#remove(position, shares)
    position.redeemed = true
    if (cost !== 0 && payout !== undefined) this.#realize(moment, position, "resolution", minus(payout, cost))
  }

  #touch(moment: Moment, wallet: number, token: number): Position {
    const known = this.#positions.get(wallet, token)
    const position = known ?? emptyPosition(wallet, token)
    if (known === undefined) this.#positions.set(position)
    const isNew = this.#opened.delete(position)
    this.#mark(moment, position, isNew ? undefined : known)
    return position
  }

  #trade(moment: Moment, wallet: number, token: number, usd: Usdc): Position {
    const position = this.#touch(moment, wallet, token)
    position.volume = plus(position.volume, usd)
    position.tradedAt = moment.at
    return position
  }

  /** Must precede any other change to the position. */
  #mark({ block, at }: Moment, position: Position, before: Position | undefined): void {
    this.#undo?.record(block, position, before)
    position.changedAt = at
    this.#changed.add(position)
  }

  #receive(position: Position, shares: Shares, cost: Usdc): void {
    position.shares = plus(position.shares, shares)
    position.bought = plus(position.bought, shares)
    position.paid = plus(position.paid, cost)
    this.#addCost(position, cost)
  }

  #addCost(position: Position, cost: Usdc): void {
    if (!position.partial) position.cost = plus(position.cost, cost)
  }

  /** Shares of unknown cost have been added, so that the cost of all of them is unknown. */
  #makePartial(position: Position): void {
    position.partial = true
    position.cost = usdc(0)
  }

  #remove(position: Position, shares: Shares): Usdc {
    const cost = costOfPart(position.cost, shares, position.shares)
    position.shares = minus(position.shares, shares)
    position.cost = minus(position.cost, cost)
    return cost
  }

  #realize({ block, logIndex, at }: Moment, position: Position, kind: RealizedKind, amount: Usdc): void {
    if (position.partial) return
    position.realized = plus(position.realized, amount)
    if (amount > 0) {
      position.profit = plus(position.profit, amount)
      position.wins += 1
    } else if (amount < 0) position.losses += 1
    this.#events.push({ block, logIndex, at, wallet: position.wallet, token: position.token, kind, amount })
  }
}
