import { shares, usdc } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import type { IdLookup } from "../idLookup.ts"
import type { PositionBook } from "./PositionBook.ts"

/** Visits the positions that a fact touches, except the holders of a resolved token. */
export const visitTouched = <Id>(
  fact: PositionFact<Id>,
  { wallet, token }: IdLookup<Id>,
  visit: (wallet: number, token: number) => void,
): void => {
  switch (fact.kind) {
    case "fill":
      visit(wallet(fact.maker), token(fact.token))
      break
    case "fee_refund":
    case "stock_change":
      visit(wallet(fact.wallet), token(fact.token))
      break
    case "split":
    case "merge":
      for (const each of fact.tokens) visit(wallet(fact.wallet), token(each))
      break
    case "redemption":
      for (const each of fact.redeemed) visit(wallet(fact.wallet), token(each.token))
      break
    case "conversion":
      for (const each of [...fact.nos, ...fact.yeses]) visit(wallet(fact.wallet), token(each))
      break
    case "transfer":
      for (const owner of [fact.sender, fact.receiver]) visit(wallet(owner), token(fact.token))
      break
  }
}

/** The tokens of a condition, by outcome. */
export type TokensOf = (condition: number) => ReadonlyArray<number | undefined>

/** Applies a fact to the positions that it touches. */
export const applyFact = <Id>(
  book: PositionBook,
  fact: PositionFact<Id>,
  ids: IdLookup<Id>,
  tokensOf: TokensOf,
): void => {
  const { wallet, token } = ids
  switch (fact.kind) {
    case "fill": {
      // A fee in collateral raises the cost of a purchase and lowers the proceeds of a sale; a fee in shares is withheld.
      const { usd, fee, feeInShares } = fact
      const trade = {
        shares: fact.shares,
        usd,
        fee: usdc(feeInShares ? 0 : fee),
        feeShares: shares(feeInShares ? fee : 0),
      }
      if (fact.side === "sell") book.sell(fact, wallet(fact.maker), token(fact.token), trade)
      else book.buy(fact, wallet(fact.maker), token(fact.token), trade)
      break
    }
    case "fee_refund": {
      const { amount } = fact
      if (fact.inShares) book.refundShares(fact, wallet(fact.wallet), token(fact.token), shares(amount))
      else book.refundCollateral(fact, wallet(fact.wallet), token(fact.token), usdc(amount))
      break
    }
    case "stock_change":
      book.changeStock(fact, wallet(fact.wallet), token(fact.token), fact.shares, fact.paid)
      break
    case "split":
    case "merge":
      book[fact.kind](fact, wallet(fact.wallet), [token(fact.tokens[0]), token(fact.tokens[1])], fact.amount)
      break
    case "redemption":
      for (const each of fact.redeemed) {
        const payout = fact.redeemed.length === 1 ? fact.payout : undefined
        book.redeem(fact, wallet(fact.wallet), token(each.token), each.shares, payout)
      }
      break
    case "conversion": {
      const { nos, yeses, amount, received, paid } = fact
      book.convert(fact, wallet(fact.wallet), {
        given: nos.map(token),
        taken: yeses.map(token),
        amount,
        received,
        paid,
      })
      break
    }
    case "transfer":
      book.transfer(fact, wallet(fact.sender), wallet(fact.receiver), token(fact.token), fact.shares)
      break
    case "resolution": {
      const denominator = fact.payouts.reduce((sum, payout) => sum + payout, 0)
      tokensOf(ids.condition(fact.condition)).forEach((resolved, outcome) => {
        if (resolved !== undefined) book.resolve(fact, resolved, fact.payouts[outcome] ?? 0, denominator)
      })
      break
    }
  }
}
