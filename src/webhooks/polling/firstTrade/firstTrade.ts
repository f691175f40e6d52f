import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillTeller, lowestFork, reorgTeller, type ToldFill } from "../fills.ts"
import type { Batch, Poller } from "../model.ts"
import { occurrence, owedTo } from "../pollers/stateless.ts"
import { fillWords } from "../pollers/trades.ts"
import { type FirstFill, firstTradeStore } from "./FirstTradeStore.ts"

const none: ReadonlyArray<FirstFill> = []

/**
 * The first fill of a wallet, whichever side of the match it was on. Which one that is, the ledger is asked once for each
 * wallet, and until a reorganisation takes the answer back.
 */
export const firstTrade = Effect.gen(function* () {
  const store = firstTradeStore(yield* Postgres)

  const step = Effect.fnUntraced(function* ({ entries, watchers }: Batch<ToldFill>) {
    const fork = lowestFork(entries)
    const makers = new Set(entries.flatMap(({ told }) => told.map(({ fill }) => fill.maker)))
    const known = makers.size === 0 ? none : yield* store.known([...makers], fork)
    for (const { wallet } of known) makers.delete(wallet)
    const found = makers.size === 0 ? none : yield* store.find([...makers])
    const firsts = new Map([...known, ...found].map((first) => [first.wallet, first]))

    const owed = entries.flatMap(({ event, told }) =>
      told.flatMap(({ fill, identity, names }) => {
        const first = firsts.get(fill.maker)
        if (first?.block !== fill.block || first.log_index !== fill.log_index) return []
        const facets = { ...fillWords.facets(fill, names), onlyForWallet: false }
        return owedTo(
          watchers,
          event.seq,
          occurrence(identity, facets, () => fillWords.data(fill, names)),
        )
      }),
    )
    const forget = fork === undefined ? Effect.void : store.forgetAfter(fork)
    return { owed, save: Effect.andThen(forget, Effect.asVoid(store.remember(found))) }
  })

  const poller: Poller<ToldFill> = {
    name: "first_trade",
    tellers: new Map([
      ["fill", fillTeller],
      ["reorg", reorgTeller],
    ]),
    step,
    idle: store.forgetAll,
  }
  return poller
})
