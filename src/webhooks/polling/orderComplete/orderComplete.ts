import { Duration, Effect } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import { grouped } from "#src/feed/grouped.ts"
import { Mentions, type Names, namesOf } from "#src/feed/Names.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { OrderCompleteData } from "../../payloads/schemas.ts"
import { eventOf, marketOfToken, placeOnChain, timestampOf } from "../../payloads/shared.ts"
import { webhooksQuiet } from "../../settings.ts"
import { fillTeller, lowestFork, reorgTeller, type ToldFill } from "../fills.ts"
import type { Batch, Owed, Poller, Watchers } from "../model.ts"
import { tokenFacets } from "../pollers/facets.ts"
import { occurrence, owedTo } from "../pollers/stateless.ts"
import { type Recall, remembering } from "../remembering.ts"
import { type OrderFill, orderStore } from "./OrderStore.ts"
import { type LastFill, quietOrders } from "./quietOrders.ts"

/** Of an order with more fills only the newest are listed. */
const mostListed = 100

interface Wanted {
  readonly hashes: ReadonlyArray<string>
  readonly quietSince: number
}

const dataOf = (fills: ReadonlyArray<OrderFill>, last: OrderFill, names: Names): OrderCompleteData => {
  const token = names.token(last.token)
  const { market, outcome } = marketOfToken(token)
  return {
    order_hash: `0x${last.order_hash}`,
    maker: names.wallet(last.maker),
    direction: sideOf(last.side),
    token_id: token.id,
    fill_count: fills.length,
    total_usd: exactAmount(fills.reduce((sum, { usd }) => sum + usd, 0n)),
    ...marketOfToken(token),
    ...eventOf(token.info),
    fills: fills.slice(-mostListed).map((fill) => ({
      amount_usd: exactAmount(fill.usd),
      price: priceOf(fill.usd, fill.shares),
      market,
      outcome,
      timestamp: timestampOf(fill),
    })),
    ...placeOnChain(last),
    timestamp: timestampOf(last),
  }
}

const owedFor = (
  { seq, block, logIndex }: LastFill,
  fills: ReadonlyArray<OrderFill>,
  names: Names,
  watchers: Watchers,
): ReadonlyArray<Owed> => {
  const last = fills.at(-1)
  // Where the chain has just gone back it is not there any more; the log says so in a moment.
  if (last?.block !== block || last.log_index !== logIndex || fills.length < 2) return []
  const facets = {
    ...tokenFacets(names.token(last.token)),
    wallets: [names.wallet(last.maker)],
    totalUsd: Number(fills.reduce((sum, { usd }) => sum + usd, 0n)),
  }
  const inTransaction = fills.filter(({ tx }) => tx === last.tx).length
  const identity = `order ${last.order_hash} ${last.tx} ${inTransaction}`
  return owedTo(
    watchers,
    seq,
    occurrence(identity, facets, () => dataOf(fills, last, names)),
  )
}

/** Fills of orders that somebody may want to hear of, however much they come to. */
const awaited = ({ entries, watchers }: Batch<ToldFill>): ReadonlyArray<LastFill> =>
  entries.flatMap(({ event, told }) =>
    told.flatMap(({ fill, names }) => {
      const facets = {
        ...tokenFacets(names.token(fill.token)),
        wallets: [names.wallet(fill.maker)],
        totalUsd: Number.POSITIVE_INFINITY,
      }
      if (watchers.of(facets).size === 0) return []
      const { order_hash: orderHash, block, log_index: logIndex, at } = fill
      return [{ orderHash, seq: event.seq, block, logIndex, at: at.getTime() }]
    }),
  )

/** Orders with several fills that have had none for a while; one that goes on after all is told again as a whole. */
export const orderComplete = Effect.gen(function* () {
  const postgres = yield* Postgres
  const config = yield* Configuration
  const store = orderStore(postgres)
  const loadNames = yield* namesOf

  const evaluate = Effect.fnUntraced(function* (batch: Batch<ToldFill>, recall: Recall<Wanted, LastFill>) {
    const { horizon, watchers } = batch
    const quiet = Duration.toMillis(config.get(webhooksQuiet))
    const fills = awaited(batch)
    const known = yield* recall({ hashes: fills.map(({ orderHash }) => orderHash), quietSince: horizon.at - quiet })
    const { complete, open } = quietOrders(known, fills, horizon.at, quiet)
    const hashes = new Set(complete.map(({ orderHash }) => orderHash))
    const rows = hashes.size === 0 ? [] : yield* store.fills(hashes, horizon.block)
    const mentions = new Mentions()
    for (const { maker, token } of rows) {
      mentions.wallets.add(maker)
      mentions.tokens.add(token)
    }
    const names = yield* loadNames(mentions)
    const byOrder = grouped(rows, (row) => row.order_hash)
    const owed = complete.flatMap((last) => {
      const upTo = (byOrder.get(last.orderHash) ?? []).filter(
        ({ block, log_index }) => block < last.block || (block === last.block && log_index <= last.logIndex),
      )
      return owedFor(last, upTo, names, watchers)
    })
    const gone = [...known.keys()].filter((hash) => !open.has(hash))
    return {
      owed,
      changes: new Map<string, LastFill | undefined>([...gone.map((hash) => [hash, undefined] as const), ...open]),
    }
  })

  const poller: Poller<ToldFill> = {
    name: "order_complete",
    tellers: new Map([
      ["fill", fillTeller],
      ["reorg", reorgTeller],
    ]),
    ...remembering<ToldFill, Wanted, LastFill>({
      evaluate,
      recall: ({ entries }) =>
        Effect.fnUntraced(function* ({ hashes, quietSince }) {
          const fork = lowestFork(entries)
          const known = new Map(yield* store.open(hashes, quietSince))
          if (fork === undefined) return known
          for (const { order_hash, seq, block, log_index, at } of yield* store.takenBack(fork)) {
            known.delete(order_hash)
            if (block === null || log_index === null || at === null) continue
            known.set(order_hash, {
              orderHash: order_hash,
              seq: seq ?? 0n,
              block,
              logIndex: log_index,
              at: at.getTime(),
            })
          }
          return known
        }),
      keep: (changes, { entries }) =>
        Effect.gen(function* () {
          const fork = lowestFork(entries)
          if (fork !== undefined) yield* store.forgetAfter(fork)
          yield* store.forget([...changes].flatMap(([hash, last]) => (last === undefined ? [hash] : [])))
          yield* store.keep([...changes.values()].filter((last) => last !== undefined))
        }),
    }),
    idle: store.forgetAfter(-1),
  }
  return poller
})
