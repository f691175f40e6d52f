import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillRenderer, lowestFork, type RenderedFill, reorgRenderer } from "../fills.ts"
import type { Batch, Poller } from "../model.ts"
import { deliveriesFor, occurrence } from "../stateless.ts"
import { fillRendering } from "../trade/trade.ts"
import * as FirstTradeStore from "./FirstTradeStore.ts"

const none: ReadonlyArray<FirstTradeStore.FirstFill> = []

/**
 * The first fill of a wallet, on either side of the match. The ledger is queried once for each wallet, and again after a
 * reorganisation retracts the result.
 */
export const firstTrade = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres

  const step = Effect.fnUntraced(function* ({ entries, watchers }: Batch<RenderedFill>) {
    const fork = lowestFork(entries)
    const makers = new Set(entries.flatMap(({ rendered }) => rendered.map(({ fill }) => fill.maker)))
    const saved = makers.size === 0 ? none : yield* FirstTradeStore.saved(reads, [...makers], fork)
    for (const { wallet } of saved) makers.delete(wallet)
    const found = makers.size === 0 ? none : yield* FirstTradeStore.find(reads, [...makers])
    const firsts = new Map([...saved, ...found].map((first) => [first.wallet, first]))

    const deliveries = entries.flatMap(({ event, rendered }) =>
      rendered.flatMap(({ fill, identity, names }) => {
        const first = firsts.get(fill.maker)
        if (first?.block !== fill.block || first.log_index !== fill.log_index) return []
        const facets = { ...fillRendering.facets(fill, names), onlyForWallet: false }
        return deliveriesFor(
          watchers,
          event.seq,
          occurrence(identity, facets, () => fillRendering.data(fill, names)),
        )
      }),
    )
    const retract = fork === undefined ? Effect.void : FirstTradeStore.deleteAfter(sql, fork)
    return { deliveries, save: Effect.andThen(retract, Effect.asVoid(FirstTradeStore.save(sql, found))) }
  })

  const poller: Poller<RenderedFill> = {
    name: "first_trade",
    renderers: new Map([
      ["fill", fillRenderer],
      ["reorg", reorgRenderer],
    ]),
    step,
    idle: FirstTradeStore.deleteAll(sql),
  }
  return poller
})
