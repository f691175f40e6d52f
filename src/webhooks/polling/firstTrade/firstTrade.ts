import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fillRenderer, lowestFork, type RenderedFill, reorgRenderer } from "../fills.ts"
import type { Batch, Poller } from "../model.ts"
import { deliveriesFor, occurrence } from "../stateless.ts"
import { fillRendering } from "../trade/trade.ts"
import * as FirstTradeStore from "./FirstTradeStore.ts"

const none: ReadonlyArray<FirstTradeStore.FirstFill> = []

/** The first fill of a wallet, on either side of the match. Cached ones are looked up once and saved. */
const firstTradeWith = Effect.fnUntraced(function* (isCached: boolean) {
  const { sql, reads } = yield* Postgres

  const step = Effect.fnUntraced(function* ({ entries, watchers }: Batch<RenderedFill>) {
    const fork = lowestFork(entries)
    const makers = new Set(entries.flatMap(({ rendered }) => rendered.map(({ fill }) => fill.maker)))
    const saved = !isCached || makers.size === 0 ? none : yield* FirstTradeStore.saved(reads, [...makers], fork)
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
    if (!isCached) return { deliveries, save: Effect.void }
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
    ...(isCached && { idle: FirstTradeStore.deleteAll(sql) }),
  }
  return poller
})

/** The ledger is queried once for each wallet, and again after a reorganisation retracts the result. */
export const firstTrade = firstTradeWith(true)

/** The ledger is queried for each wallet, every time: what another poller saved may be of a later block. */
export const uncachedFirstTrade = firstTradeWith(false)
