import { Effect } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import { fill, handChain, hex } from "./handChain.ts"

let transactions = 0

/** Blocks of fills, and the fills so far. */
export const fillMaker = Effect.gen(function* () {
  const chain = yield* handChain
  const made: Array<string> = []
  /** One block with this many fills, each in its own transaction, of wallets 1, 2, 3 … in turn. */
  const block = (fills: number, makers = 1) =>
    Effect.suspend(() => {
      const wanted = Array.from({ length: fills }, (_, place) => {
        transactions += 1
        const maker = (transactions % makers) + 1
        made.push(`0x${hex(transactions)}_${place}`)
        return [
          String(transactions),
          [fill({ maker, usd: usdc(1_000_000 + transactions), orderHash: hex(transactions) })],
        ] as const
      })
      return chain.mine(Object.fromEntries(wanted))
    })
  return {
    /** Ids of all trades so far. */
    made,
    block,
    /** Mines blocks until everything so far is confirmed. */
    confirm: chain.wait(3),
  }
})
