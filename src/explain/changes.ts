import type { Fact, Fill } from "#src/domain/Fact.ts"

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

/** A fill changes the maker's balances; the taker has a fill of its own. */
const applyFill = (changes: Changes, fill: Fill): void => {
  const { maker, token, shares, usd, fee, feeInShares } = fill
  const sign = fill.side === "buy" ? 1 : -1
  const moved = feeInShares ? shares - sign * fee : shares
  changes.token(maker, token, sign * moved)
  changes.collateral(maker, -sign * usd - (feeInShares ? 0 : fee))
}

export const applyFact = (changes: Changes, fact: Fact): void => {
  switch (fact.kind) {
    case "fill":
      applyFill(changes, fact)
      break
    case "fee_charge":
      // Shares are a change of the receiver's stock.
      if (!fact.inShares) changes.collateral(fact.receiver, fact.amount)
      break
    case "fee_refund":
      if (fact.inShares) changes.token(fact.wallet, fact.token, fact.amount)
      else changes.collateral(fact.wallet, fact.amount)
      break
    case "stock_change":
      changes.token(fact.wallet, fact.token, fact.shares)
      changes.collateral(fact.wallet, fact.paid)
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
