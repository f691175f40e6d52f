import { Duration, Effect } from "effect"
import { exactAmount, usdc } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import { Mentions, type Names, nameLoader } from "#src/feed/Names.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { OrderCompleteData } from "../../payloadSchemas.ts"
import { webhooksQuiet } from "../../settings.ts"
import { tokenFacets } from "../facets.ts"
import { fillRenderer, lowestFork, type RenderedFill, reorgRenderer } from "../fills.ts"
import type { Batch, PendingDelivery, Poller, Watchers } from "../model.ts"
import { chainFields, eventOf, marketOfToken, timestampOf } from "../payloadFields.ts"
import { type LoadState, stateful } from "../stateful.ts"
import { deliveriesFor, occurrence } from "../stateless.ts"
import type { OrderFill } from "./OrderStore.ts"
import * as OrderStore from "./OrderStore.ts"
import { type LastFill, quietOrders } from "./quietOrders.ts"

/** Only the newest fills of a longer order are listed. */
const maxListed = 100

/** Of an order whose total is not known yet. */
const meetsAnyMinimum = usdc(Number.MAX_SAFE_INTEGER)

interface OrderQuery {
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
    fills: fills.slice(-maxListed).map((fill) => ({
      amount_usd: exactAmount(fill.usd),
      price: priceOf(fill.usd, fill.shares),
      market,
      outcome,
      timestamp: timestampOf(fill),
    })),
    ...chainFields(last),
    timestamp: timestampOf(last),
  }
}

const deliveriesForOrder = (
  { seq, block, logIndex }: LastFill,
  fills: ReadonlyArray<OrderFill>,
  names: Names,
  watchers: Watchers,
): ReadonlyArray<PendingDelivery> => {
  const last = fills.at(-1)
  // Missing right after a reorganisation, before the log says so.
  if (last?.block !== block || last.log_index !== logIndex || fills.length < 2) return []
  const facets = {
    ...tokenFacets(names.token(last.token)),
    wallets: [names.wallet(last.maker)],
    total: usdc(Number(fills.reduce((sum, { usd }) => sum + usd, 0n))),
  }
  const inTransaction = fills.filter(({ tx }) => tx === last.tx).length
  const identity = `order ${last.order_hash} ${last.tx} ${inTransaction}`
  return deliveriesFor(
    watchers,
    seq,
    occurrence(identity, facets, () => dataOf(fills, last, names)),
  )
}

/** Fills of orders that a webhook may match, whatever their total. */
const watchedFills = ({ entries, watchers }: Batch<RenderedFill>): ReadonlyArray<LastFill> =>
  entries.flatMap(({ event, rendered }) =>
    rendered.flatMap(({ fill, names }) => {
      const facets = {
        ...tokenFacets(names.token(fill.token)),
        wallets: [names.wallet(fill.maker)],
        total: meetsAnyMinimum,
      }
      if (watchers.matching(facets).size === 0) return []
      const { order_hash: orderHash, block, log_index: logIndex, at } = fill
      return [{ orderHash, seq: event.seq, block, logIndex, at: at.getTime() }]
    }),
  )

/** Orders with several fills and none for the quiet period; one that continues after all is sent again as a whole. */
const orderCompleteIn = Effect.fnUntraced(function* (table: OrderStore.OrderTable) {
  const { sql, reads } = yield* Postgres
  const config = yield* Configuration
  const loadNames = yield* nameLoader

  const evaluate = Effect.fnUntraced(function* (batch: Batch<RenderedFill>, load: LoadState<OrderQuery, LastFill>) {
    const { horizon, watchers } = batch
    const quiet = Duration.toMillis(config.get(webhooksQuiet))
    const fills = watchedFills(batch)
    const known = yield* load({ hashes: fills.map(({ orderHash }) => orderHash), quietSince: horizon.at - quiet })
    const { complete, open } = quietOrders(known, fills, horizon.at, quiet)
    const hashes = new Set(complete.map(({ orderHash }) => orderHash))
    const rows = hashes.size === 0 ? [] : yield* OrderStore.fills(reads, hashes, horizon.block)
    const mentions = new Mentions()
    for (const { maker, token } of rows) {
      mentions.wallets.add(maker)
      mentions.tokens.add(token)
    }
    const names = yield* loadNames(mentions)
    const byOrder = Map.groupBy(rows, (row) => row.order_hash)
    const deliveries = complete.flatMap((last) => {
      const upTo = (byOrder.get(last.orderHash) ?? []).filter(
        ({ block, log_index }) => block < last.block || (block === last.block && log_index <= last.logIndex),
      )
      return deliveriesForOrder(last, upTo, names, watchers)
    })
    const gone = [...known.keys()].filter((hash) => !open.has(hash))
    return {
      deliveries,
      changes: new Map<string, LastFill | undefined>([...gone.map((hash) => [hash, undefined] as const), ...open]),
    }
  })

  const poller: Poller<RenderedFill> = {
    name: "order_complete",
    renderers: new Map([
      ["fill", fillRenderer],
      ["reorg", reorgRenderer],
    ]),
    ...stateful<RenderedFill, OrderQuery, LastFill>({
      evaluate,
      load: ({ entries }) =>
        Effect.fnUntraced(function* ({ hashes, quietSince }) {
          const fork = lowestFork(entries)
          const known = new Map(yield* OrderStore.open(reads, table, hashes, quietSince))
          if (fork === undefined) return known
          for (const { order_hash, seq, block, log_index, at } of yield* OrderStore.retracted(reads, table, fork)) {
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
      save: (changes, { entries }) =>
        Effect.gen(function* () {
          const fork = lowestFork(entries)
          if (fork !== undefined) yield* OrderStore.removeAfter(sql, table, fork)
          yield* OrderStore.remove(
            sql,
            table,
            [...changes].flatMap(([hash, last]) => (last === undefined ? [hash] : [])),
          )
          yield* OrderStore.save(
            sql,
            table,
            [...changes.values()].filter((last) => last !== undefined),
          )
        }),
    }),
    idle: OrderStore.removeAfter(sql, table, -1),
  }
  return poller
})

export const orderComplete = orderCompleteIn("webhook_open_order")
/** Of final fills, which another poller has seen long before. */
export const finalOrderComplete = orderCompleteIn("webhook_final_order")
