import { shares as toShares } from "#src/domain/amounts.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import type { TokenPair } from "#src/domain/Fact.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type {
  ChainEvent,
  ModuleExchange,
  ModuleMerge,
  ModuleRedemption,
  ModuleSplit,
} from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import { amountsOf } from "./TokenMoves.ts"
import type { Transaction } from "./Transaction.ts"

const noShares = toShares(0)

/** A token of Protocol V2 is its condition and the index of the outcome. */
const tokensOf = (condition: string): readonly [string, string] => [
  `${condition.slice(0, 62)}00`,
  `${condition.slice(0, 62)}01`,
]

/** The condition of a token of Protocol V2 follows from its id, and so does the other outcome. */
export const pairOf = (token: string): TokenPair => {
  const condition = conditionOfPosition(token)
  return { condition, tokens: tokensOf(condition) }
}

/** The log names the router; the recipients of both outcomes may differ. */
export const readModuleSplit = (
  transaction: Transaction,
  { condition, amount, recipients }: ModuleSplit,
  index: number,
  initiator?: string,
): void => {
  const wallet = initiator ?? recipients[0]
  const tokens = tokensOf(condition)
  transaction.pairs.push({ condition, tokens })
  if (intermediaries.has(wallet)) return
  transaction.add(index, { kind: "split", wallet, condition, tokens, amount })
  const forOthers = recipients.flatMap((receiver, outcome) =>
    receiver === wallet || intermediaries.has(receiver) ? [] : [{ receiver, token: tokens[outcome] as string }],
  )
  forOthers.forEach(({ receiver, token }, sub) => {
    transaction.add(index, { kind: "transfer", sub, sender: wallet, receiver, token, shares: amount })
  })
}

export const readModuleMerge = (
  transaction: Transaction,
  event: ModuleMerge,
  index: number,
  initiator?: string,
): void => {
  const { condition, amount } = event
  const tokens = tokensOf(condition)
  transaction.pairs.push({ condition, tokens })
  // The third exchange merges to settle a match.
  if (initiator === undefined && intermediaries.has(event.recipient)) return
  const wallet = initiator ?? transaction.moves.ownerOf(event.module, tokens[0], index)
  if (intermediaries.has(wallet)) return
  transaction.add(index, { kind: "merge", wallet, condition, tokens, amount })
}

/** The recipient may be the auto-redeemer, which passes the payout on. */
export const readModuleRedemption = (
  transaction: Transaction,
  event: ModuleRedemption,
  index: number,
  initiator?: string,
): void => {
  const { token, amount: shares, payout } = event
  const owner = initiator ?? transaction.moves.ownerOf(event.module, token, index)
  const wallet = intermediaries.has(owner) ? event.recipient : owner
  if (intermediaries.has(wallet)) return
  const condition = conditionOfPosition(token)
  const redeemed = [{ token, shares }]
  transaction.add(index, { kind: "redemption", wallet, condition, redeemed, payout })
}

type Operation = ModuleSplit | ModuleMerge | ModuleRedemption | ModuleExchange

/** What a module does with tokens; each has one log. */
export const isOperation = (event: ChainEvent): event is Operation =>
  /^Module(Split|Merge|Redemption|Exchange)$/.test(event._tag)

/** Index of the burn that ends an exchange whose log comes first. */
const endOf = ({ moves, logs }: Transaction, module: string, index: number): number =>
  moves.burns(module, index, logs.length)[0]?.index ?? index

/** Index of the last log of the operation at `index`, whose own log comes before or after its moves. */
export const lastLogOf = (transaction: Transaction, index: number): number => {
  const event = transaction.logs[index]?.event
  return event?._tag === "ModuleExchange" && event.isBeforeMoves ? endOf(transaction, event.module, index) : index
}

/** The logs between which an exchange moves tokens: since the last operation, or after its own log. */
const spanOf = (transaction: Transaction, { isBeforeMoves }: ModuleExchange, index: number) =>
  isBeforeMoves
    ? { after: index, before: lastLogOf(transaction, index) + 1 }
    : { after: lastLogOf(transaction, transaction.lastIndexBefore(index, isOperation)), before: index }

/** The tokens that the module burned and minted. It may mint for others than the owner of the burned ones. */
export const readModuleExchange = (
  transaction: Transaction,
  event: ModuleExchange,
  index: number,
  initiator?: string,
): void => {
  const { moves } = transaction
  const { module, operation, paid } = event
  const { after, before } = spanOf(transaction, event, index)
  const given = amountsOf(moves.burns(module, after, before))
  const minted = moves.between(after, before, ({ from, operator }) => from === address.zero && operator === module)
  const taken = amountsOf(minted)
  const owner = given[0] === undefined ? minted[0]?.to : moves.ownerOf(module, given[0].token, before)
  const wallet = initiator ?? owner
  if (wallet === undefined || intermediaries.has(wallet)) return
  for (const { token } of [...given, ...taken]) transaction.pairs.push(pairOf(token))
  transaction.add(index, {
    kind: "conversion",
    wallet,
    operation,
    negRiskMarket: undefined,
    questions: [],
    nos: given.map(({ token }) => token),
    yeses: taken.map(({ token }) => token),
    amount: given[0]?.shares ?? taken[0]?.shares ?? noShares,
    received: taken[0]?.shares ?? noShares,
    paid,
  })
  const forOthers = minted.filter(({ to }) => to !== wallet && !intermediaries.has(to))
  for (const [sub, move] of forOthers.entries()) {
    const [token = "", shares = noShares] = [move.tokens[0], move.amounts[0]]
    transaction.add(index, { kind: "transfer", sub, sender: wallet, receiver: move.to, token, shares })
  }
}
