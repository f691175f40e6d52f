import type { Fact, FeeCharge, FeeRefund, Fill } from "#src/domain/Fact.ts"

/** Change of a wallet's balances, in 10⁻⁶. */
export interface WalletChange {
  collateral: number
  readonly tokens: Map<string, number>
}

/** Changes of all wallets that some facts concern. */
export class Changes {
  readonly byWallet = new Map<string, WalletChange>()

  of(wallet: string): WalletChange {
    const known = this.byWallet.get(wallet)
    if (known !== undefined) return known
    const change: WalletChange = { collateral: 0, tokens: new Map() }
    this.byWallet.set(wallet, change)
    return change
  }

  collateral(wallet: string, amount: number): void {
    this.of(wallet).collateral += amount
  }

  token(wallet: string, token: string, shares: number): void {
    const { tokens } = this.of(wallet)
    tokens.set(token, (tokens.get(token) ?? 0) + shares)
  }
}

/** A fill changes the maker's balances; the taker of a match has a fill of its own, a wallet that fills an order directly not. */
const applyFill = (changes: Changes, fill: Fill, counterparty: string | undefined): void => {
  const { maker, token, shares, usd, fee, feeInShares } = fill
  const sign = fill.side === "buy" ? 1 : -1
  const moved = feeInShares ? shares - sign * fee : shares
  changes.token(maker, token, sign * moved)
  changes.collateral(maker, -sign * usd - (feeInShares ? 0 : fee))
  if (counterparty === undefined) return
  changes.token(counterparty, token, -sign * moved)
  changes.collateral(counterparty, sign * usd + (feeInShares ? 0 : fee))
}

const applyFee = (changes: Changes, wallet: string, { token, inShares, amount }: FeeCharge | FeeRefund): void => {
  if (inShares) changes.token(wallet, token, amount)
  else changes.collateral(wallet, amount)
}

export const applyFact = (changes: Changes, fact: Fact, counterpartyOf: (fill: Fill) => string | undefined): void => {
  switch (fact.kind) {
    case "fill":
      applyFill(changes, fact, counterpartyOf(fact))
      break
    case "fee_charge":
      applyFee(changes, fact.receiver, fact)
      break
    case "fee_refund":
      applyFee(changes, fact.wallet, fact)
      break
    case "split":
    case "merge": {
      const sign = fact.kind === "split" ? 1 : -1
      for (const token of fact.tokens) changes.token(fact.wallet, token, sign * fact.amount)
      changes.collateral(fact.wallet, -sign * fact.amount)
      break
    }
    case "redemption":
      for (const { token, shares } of fact.redeemed) changes.token(fact.wallet, token, -shares)
      changes.collateral(fact.wallet, fact.payout)
      break
    case "conversion":
      for (const token of fact.nos) changes.token(fact.wallet, token, -fact.amount)
      for (const token of fact.yeses) changes.token(fact.wallet, token, fact.received)
      changes.collateral(fact.wallet, fact.paid)
      break
    case "transfer":
      changes.token(fact.sender, fact.token, -fact.shares)
      changes.token(fact.receiver, fact.token, fact.shares)
      break
    case "maker_payment":
    case "collateral_flow":
      changes.collateral(fact.wallet, fact.amount)
      break
    default:
      break
  }
}
