import { hash } from "../random.ts"
import { floats, ints } from "./columns.ts"
import type { Micro } from "./model.ts"

/** The cost of `part` of `whole`, rounded half up; all of it for the whole. */
export const costShare = (cost: Micro, part: Micro, whole: Micro): Micro => {
  if (part >= whole) return cost
  const [twice, both] = [2n * BigInt(cost) * BigInt(part) + BigInt(whole), 2n * BigInt(whole)]
  // A conversion can leave a negative cost, where truncation is not rounding down.
  return Number((twice - (((twice % both) + both) % both)) / both)
}

const none = -1

/**
 * The ground truth: holdings, costs and earnings of all wallets, updated as trades happen and never derived from logs.
 * Cost is one total per wallet and token, by the rules of the venue's ledger.
 */
export class Books {
  readonly cash = floats()
  /** Cash that is still in the first collateral after the cut-over. */
  readonly legacyCash = floats()
  readonly feesPaid = floats()
  /** Paid to makers from fees, and for resting orders. */
  readonly rebates = floats()
  readonly rewards = floats()
  readonly #pendingRebates = floats()

  readonly walletOf = ints()
  readonly tokenOf = ints()
  readonly shares = floats()
  readonly cost = floats()
  readonly realized = floats()
  readonly bought = floats()
  readonly sold = floats()
  /** Paid for bought shares, without fees. */
  readonly paid = floats()
  readonly #nextOfWallet = ints()
  readonly #nextOfToken = ints()
  readonly #firstOfWallet = ints()
  readonly #firstOfToken = ints()

  /** Every realized gain or loss in order, with its transaction, whose block dates it. */
  readonly eventPosition = ints()
  readonly eventTx = ints()
  readonly eventAmount = floats()

  #slots = new Int32Array(1 << 16).fill(none)

  addWallet(): void {
    this.cash.push(0)
    this.legacyCash.push(0)
    this.feesPaid.push(0)
    this.rebates.push(0)
    this.rewards.push(0)
    this.#pendingRebates.push(0)
    this.#firstOfWallet.push(none)
  }

  addToken(): void {
    this.#firstOfToken.push(none)
  }

  /** The position of a wallet in a token, or -1. */
  find(wallet: number, token: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash(wallet, token) & mask; ; slot = (slot + 1) & mask) {
      const position = this.#slots[slot] as number
      if (position === none) return none
      if (this.walletOf.get(position) === wallet && this.tokenOf.get(position) === token) return position
    }
  }

  held(wallet: number, token: number): Micro {
    const position = this.find(wallet, token)
    return position === none ? 0 : this.shares.get(position)
  }

  positionsOf(wallet: number): Iterable<number> {
    return this.#walk(this.#firstOfWallet.get(wallet), this.#nextOfWallet)
  }

  holdersOf(token: number): Iterable<number> {
    return this.#walk(this.#firstOfToken.get(token), this.#nextOfToken)
  }

  buy(wallet: number, token: number, shares: Micro, usd: Micro, fee: Micro): void {
    this.cash.add(wallet, -usd - fee)
    this.feesPaid.add(wallet, fee)
    this.#receive(this.#openPosition(wallet, token), shares, usd, fee)
  }

  sell(wallet: number, token: number, shares: Micro, usd: Micro, fee: Micro, tx: number): void {
    this.cash.add(wallet, usd - fee)
    this.feesPaid.add(wallet, fee)
    const position = this.#openPosition(wallet, token)
    this.sold.add(position, shares)
    this.#realize(position, usd - fee - this.#release(position, shares), tx)
  }

  /** A fee in shares, as the first exchange charged buyers. */
  chargeShares(wallet: number, token: number, shares: Micro): void {
    this.refundShares(wallet, token, -shares)
  }

  /** Refunds a fee in shares, at no cost. */
  refundShares(wallet: number, token: number, shares: Micro): void {
    const position = this.#openPosition(wallet, token)
    this.shares.add(position, shares)
    this.bought.add(position, shares)
  }

  refundCash(wallet: number, token: number, usd: Micro, tx: number): void {
    this.cash.add(wallet, usd)
    this.feesPaid.add(wallet, -usd)
    this.#realize(this.#openPosition(wallet, token), usd, tx)
  }

  /** Both outcomes at 0.50 each; amounts are even, so the halves are whole numbers. */
  split(wallet: number, yes: number, no: number, amount: Micro): void {
    this.cash.add(wallet, -amount)
    this.#receive(this.#openPosition(wallet, yes), amount, amount / 2)
    this.#receive(this.#openPosition(wallet, no), amount, amount / 2)
  }

  merge(wallet: number, yes: number, no: number, amount: Micro, tx: number): void {
    this.cash.add(wallet, amount)
    for (const token of [yes, no]) {
      const position = this.#openPosition(wallet, token)
      this.sold.add(position, amount)
      this.#realize(position, amount / 2 - this.#release(position, amount), tx)
    }
  }

  /** Exchanges `amount` of each NO for `amount` of each other YES and the collateral of all NOs but one. */
  convert(wallet: number, nos: ReadonlyArray<number>, yeses: ReadonlyArray<number>, amount: Micro): void {
    const paid = amount * (nos.length - 1)
    this.cash.add(wallet, paid)
    let cost = -paid
    for (const token of nos) cost += this.#release(this.#openPosition(wallet, token), amount)
    this.#spread(wallet, yeses, amount, cost)
  }

  /** Exchanges `amount` of each given token for `created` of each received one and collateral. */
  exchange(
    wallet: number,
    given: ReadonlyArray<number>,
    received: ReadonlyArray<number>,
    { amount, created, paid }: { readonly amount: Micro; readonly created: Micro; readonly paid: Micro },
  ): void {
    this.cash.add(wallet, paid)
    let cost = -paid
    for (const token of given) cost += this.#release(this.#openPosition(wallet, token), amount)
    this.#spread(wallet, received, created, cost)
  }

  /** Transfers shares with their cost, without a purchase or sale. */
  transfer(from: number, to: number, token: number, shares: Micro): void {
    const cost = this.#release(this.#openPosition(from, token), shares)
    const position = this.#openPosition(to, token)
    this.shares.add(position, shares)
    this.cost.add(position, cost)
  }

  deposit(wallet: number, usd: Micro): void {
    this.cash.add(wallet, usd)
  }

  withdraw(wallet: number, usd: Micro): void {
    this.cash.add(wallet, -usd)
  }

  accrueRebate(wallet: number, usd: Micro): void {
    this.#pendingRebates.add(wallet, usd)
  }

  pendingRebate(wallet: number): Micro {
    return this.#pendingRebates.get(wallet)
  }

  payRebate(wallet: number): Micro {
    const usd = this.#pendingRebates.get(wallet)
    this.#pendingRebates.set(wallet, 0)
    this.rebates.add(wallet, usd)
    this.cash.add(wallet, usd)
    return usd
  }

  payReward(wallet: number, usd: Micro): void {
    this.rewards.add(wallet, usd)
    this.cash.add(wallet, usd)
  }

  /** Marks all current cash as first collateral. */
  markCashAsLegacy(): void {
    for (let wallet = 0; wallet < this.cash.length; wallet++) this.legacyCash.set(wallet, this.cash.get(wallet))
  }

  /** Realizes every holding of a token at its payout; the shares remain until redeemed. */
  resolve(token: number, numerator: number, denominator: number, tx: number): void {
    for (const position of this.holdersOf(token)) {
      const shares = this.shares.get(position)
      if (shares === 0) continue
      this.#realize(position, payoutOf(shares, numerator, denominator) - this.cost.get(position), tx)
      this.cost.set(position, 0)
    }
  }

  redeem(wallet: number, token: number, numerator: number, denominator: number): Micro {
    const position = this.find(wallet, token)
    if (position === none) return 0
    const payout = payoutOf(this.shares.get(position), numerator, denominator)
    this.shares.set(position, 0)
    this.cash.add(wallet, payout)
    return payout
  }

  *#walk(first: number, next: { get(index: number): number }): Iterable<number> {
    for (let position = first; position !== none; position = next.get(position)) yield position
  }

  #receive(position: number, shares: Micro, paid: Micro, fee: Micro = 0): void {
    this.shares.add(position, shares)
    this.bought.add(position, shares)
    this.paid.add(position, paid)
    this.cost.add(position, paid + fee)
  }

  /** Equal parts of a cost, the remainder on the last. */
  #spread(wallet: number, tokens: ReadonlyArray<number>, shares: Micro, cost: Micro): void {
    const part = Math.trunc(cost / tokens.length)
    tokens.forEach((token, i) => {
      const share = i === tokens.length - 1 ? cost - part * (tokens.length - 1) : part
      this.#receive(this.#openPosition(wallet, token), shares, share)
    })
  }

  /** Removes shares and returns their cost. */
  #release(position: number, shares: Micro): Micro {
    const cost = costShare(this.cost.get(position), shares, this.shares.get(position))
    this.shares.add(position, -shares)
    this.cost.add(position, -cost)
    return cost
  }

  #realize(position: number, amount: Micro, tx: number): void {
    this.realized.add(position, amount)
    this.eventPosition.push(position)
    this.eventTx.push(tx)
    this.eventAmount.push(amount)
  }

  #openPosition(wallet: number, token: number): number {
    const found = this.find(wallet, token)
    if (found !== none) return found
    const position = this.walletOf.push(wallet)
    this.tokenOf.push(token)
    for (const column of [this.shares, this.cost, this.realized, this.bought, this.sold, this.paid]) column.push(0)
    this.#nextOfWallet.push(this.#firstOfWallet.get(wallet))
    this.#firstOfWallet.set(wallet, position)
    this.#nextOfToken.push(this.#firstOfToken.get(token))
    this.#firstOfToken.set(token, position)
    if (this.walletOf.length * 2 > this.#slots.length) this.#rehash(this.#slots.length * 4)
    else this.#insertSlot(position)
    return position
  }

  #insertSlot(position: number): void {
    const mask = this.#slots.length - 1
    let slot = hash(this.walletOf.get(position), this.tokenOf.get(position)) & mask
    while (this.#slots[slot] !== none) slot = (slot + 1) & mask
    this.#slots[slot] = position
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size).fill(none)
    for (let position = 0; position < this.walletOf.length; position++) this.#insertSlot(position)
  }
}

/** The payout of shares after resolution, rounded down as the contract does. */
export const payoutOf = (shares: Micro, numerator: number, denominator: number): Micro =>
  Math.floor((shares * numerator) / denominator)
