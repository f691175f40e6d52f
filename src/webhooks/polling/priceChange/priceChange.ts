import { Effect } from "effect"
import { exactAmount, halfUp, type Price, type Shares, price as toPrice, type Usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { PriceChangeData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import { fillRenderer, type RenderedFill } from "../fills.ts"
import type { Batch, PendingDelivery, Poller, Watcher } from "../model.ts"
import { chainFields, eventOf, marketOfToken } from "../payloadFields.ts"
import { alreadySent, type LoadState, noneSent, stateful } from "../stateful.ts"
import * as PriceStore from "./PriceStore.ts"

/** Percentages are compared exactly to nine decimals. */
const percentScale = 1_000_000_000

/**
 * Whether a price is reported to a webhook that was last sent another one: any change, or one of at least `minDeltaPct`
 * percent of the last. The first price is the baseline, and is reported only without `minDeltaPct`.
 */
export const isReportedPrice = (
  price: Price<bigint>,
  last: Price<bigint> | undefined,
  minDeltaPct: number | undefined,
): boolean => {
  if (last === undefined) return minDeltaPct === undefined
  if (price === last) return false
  if (minDeltaPct === undefined) return true
  const change = price < last ? last - price : price - last
  return change * 100n * BigInt(percentScale) >= BigInt(Math.round(minDeltaPct * percentScale)) * last
}

/** Price of one share, rounded half up; undefined for no shares. */
export const priceOfTrade = (usd: Usdc<bigint>, shares: Shares<bigint>): Price<bigint> | undefined =>
  shares === 0n ? undefined : toPrice(halfUp(1_000_000n * usd, shares))

type PriceQuery = ReadonlyMap<string, PriceStore.LastPriceKey>

/** A price and a webhook that it may be reported to. */
interface Candidate extends RenderedFill {
  readonly watcher: Watcher
  readonly price: Price<bigint>
}

const keyOf = ({ id }: Watcher, token: number) => `${id} ${token}`

const dataOf = (
  { fill, names }: RenderedFill,
  price: Price<bigint>,
  previous: Price<bigint> | undefined,
): PriceChangeData => {
  const token = names.token(fill.token)
  return {
    token_id: token.id,
    price: exactAmount(price),
    previous_price: previous === undefined ? null : exactAmount(previous),
    updated_at: String(fill.at.getTime()),
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...chainFields(fill),
  }
}

/** In log order. The taker's own row is skipped, because it repeats the prices of its counterparties' rows. */
const candidatesOf = ({ entries, watchers }: Batch<RenderedFill>): ReadonlyArray<Candidate> =>
  entries.flatMap(({ event, rendered }) =>
    rendered.flatMap((one) => {
      const { fill, names } = one
      const price = priceOfTrade(fill.usd, fill.shares)
      if (fill.taker === null || price === undefined) return []
      return [...watchers.matching(tokenFacets(names.token(fill.token)))]
        .filter(({ since }) => since < event.seq)
        .map((watcher) => ({ ...one, watcher, price }))
    }),
  )

/** The price of a token is that of its newest trade. */
export const priceChange = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres
  const sentBefore = alreadySent(reads, "price_change")

  const evaluate = Effect.fnUntraced(function* (
    batch: Batch<RenderedFill>,
    load: LoadState<PriceQuery, PriceStore.LastPrice>,
    isPreview: boolean,
  ) {
    const candidates = candidatesOf(batch)
    const saved = yield* load(
      new Map(
        candidates.map(({ watcher, fill }) => [keyOf(watcher, fill.token), { webhook: watcher.id, token: fill.token }]),
      ),
    )
    const isSent = yield* (isPreview ? noneSent : sentBefore)(candidates)
    const changes = new Map<string, PriceStore.LastPrice>()
    const deliveries: Array<PendingDelivery> = []
    for (const candidate of candidates) {
      if (isSent(candidate)) continue
      const { watcher, fill, price, identity } = candidate
      const key = keyOf(watcher, fill.token)
      const last = (changes.get(key) ?? saved.get(key))?.price
      const isReported = isReportedPrice(price, last, watcher.filters.min_delta_pct)
      if (isReported) deliveries.push({ watcher, identity, data: dataOf(candidate, price, last) })
      if (isReported || last === undefined) changes.set(key, { webhook: watcher.id, token: fill.token, price })
    }
    return { deliveries, changes }
  })

  const poller: Poller<RenderedFill> = {
    name: "price_change",
    renderers: new Map([["fill", fillRenderer]]),
    ...stateful<RenderedFill, PriceQuery, PriceStore.LastPrice>({
      evaluate,
      load: () => (query) =>
        query.size === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              PriceStore.last(reads, [...query.values()]),
              (rows) => new Map(rows.map((row) => [`${row.webhook} ${row.token}`, row])),
            ),
      save: (changes) =>
        PriceStore.save(
          sql,
          [...changes.values()].filter((row) => row !== undefined),
        ),
    }),
  }
  return poller
})
