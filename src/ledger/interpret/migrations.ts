import { usdc } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { PositionMigrated } from "#src/upstream/chain/events.ts"
import { intermediaries } from "./intermediaries.ts"
import { pairOf } from "./modules.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * The module keeps tokens of the older contracts and mints those of Protocol V2 to the same wallet, in the same order, so that
 * the place of a minted token tells what it stands for. Known from the published source only.
 */
export const readMigration = (transaction: Transaction, event: PositionMigrated, index: number): void => {
  const { moves } = transaction
  const { module, wallet, token, amount } = event
  const minted = moves.lastBefore(
    index,
    ({ from, to, tokens }) => from === address.zero && to === wallet && tokens.includes(token),
  )
  if (minted === undefined || intermediaries.has(wallet)) return
  const kept = moves.lastBefore(
    minted.index,
    ({ from, to, tokens }) => from === wallet && to === module && tokens.length === minted.tokens.length,
  )
  const older = kept?.tokens[minted.tokens.indexOf(token)]
  if (older === undefined) return
  transaction.pairs.push(pairOf(token))
  transaction.add(index, {
    kind: "conversion",
    operation: undefined,
    wallet,
    negRiskMarket: undefined,
    questions: [],
    nos: [older],
    yeses: [token],
    amount,
    received: amount,
    paid: usdc(0),
  })
}
