import type { Fact, Fill } from "#src/domain/Fact.ts"
import type { Numbers } from "../numbered.ts"
import type { PositionBook } from "./PositionBook.ts"

/** Shows which positions a fact touches, apart from the holders of what is resolved. */
export const showTouched = (
  fact: Fact,
  { wallet, token }: Numbers,
  show: (wallet: number, token: number) => void,
): void => {
  switch (fact.kind) {
    case "fill":
      show(wallet(fact.maker), token(fact.token))
      break
    case "fee_refund":
      show(wallet(fact.wallet), token(fact.token))
      break
    case "split":
    case "merge":
      for (const each of fact.tokens) show(wallet(fact.wallet), token(each))
      break
    case "redemption":
      for (const each of fact.handedIn) show(wallet(fact.wallet), token(each.token))
      break
    case "conversion":
      for (const each of [...fact.nos, ...fact.yeses]) show(wallet(fact.wallet), token(each))
      break
    case "transfer":
      for (const owner of [fact.sender, fact.receiver]) show(wallet(owner), token(fact.token))
      break
  }
}

/** The tokens of a condition, by outcome. */
export type TokensOf = (condition: number) => ReadonlyArray<number | undefined>

/** What a fact does to the positions that it touches. */
export const applyFact = (book: PositionBook, fact: Fact, numbers: Numbers, tokensOf: TokensOf): void => {
  const { wallet, token } = numbers
  switch (fact.kind) {
    case "fill":
      applyFill(book, fact, wallet(fact.maker), token(fact.token))
      break
    case "fee_refund": {
      const refund = fact.inShares ? "refundShares" : "refundCollateral"
      book[refund](fact, wallet(fact.wallet), token(fact.token), fact.amount)
      break
    }
    case "split":
    case "merge":
      book[fact.kind](fact, wallet(fact.wallet), [token(fact.tokens[0]), token(fact.tokens[1])], fact.amount)
      break
    case "redemption":
      for (const each of fact.handedIn) book.redeem(fact, wallet(fact.wallet), token(each.token), each.shares)
      break
    case "conversion": {
      const { nos, yeses, amount, paid } = fact
      book.convert(fact, wallet(fact.wallet), nos.map(token), yeses.map(token), amount, paid)
      break
    }
    case "transfer":
      book.transfer(fact, wallet(fact.sender), wallet(fact.receiver), token(fact.token), fact.shares)
      break
    case "resolution": {
      const denominator = fact.payouts.reduce((sum, payout) => sum + payout, 0)
      tokensOf(numbers.condition(fact.condition)).forEach((resolved, outcome) => {
        if (resolved !== undefined) book.resolve(fact, resolved, fact.payouts[outcome] ?? 0, denominator)
      })
      break
    }
    case "collateral_flow":
      break
  }
}

/** A fee in collateral makes buying dearer and selling less worth; one in shares is withheld. */
const applyFill = (book: PositionBook, fill: Fill, owner: number, traded: number): void => {
  const { shares, usd, fee, feeInShares } = fill
  const trade = { shares, usd, ...(feeInShares ? { fee: 0, feeShares: fee } : { fee, feeShares: 0 }) }
  if (fill.side === "sell") book.sell(fill, owner, traded, trade)
  else book.buy(fill, owner, traded, trade)
}
