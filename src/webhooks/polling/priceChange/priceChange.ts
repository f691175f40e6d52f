import { Effect } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { PriceChangeData } from "../../payloads/schemas.ts"
import { eventOf, marketOfToken, placeOnChain } from "../../payloads/shared.ts"
import { nothingTold, toldBefore } from "../alreadySent.ts"
import { fillTeller, type ToldFill } from "../fills.ts"
import type { Batch, Owed, Poller, Watcher } from "../model.ts"
import { tokenFacets } from "../pollers/facets.ts"
import { type Recall, remembering } from "../remembering.ts"
import { type LastPrice, priceStore } from "./PriceStore.ts"
import { isPriceTold, priceInMicros } from "./priceMove.ts"

type Wanted = ReadonlyMap<string, Pick<LastPrice, "webhook" | "token">>

/** A price that somebody may be told of. */
interface Sighting extends ToldFill {
  readonly watcher: Watcher
  readonly price: bigint
}

const keyOf = ({ id }: Watcher, token: number) => `${id} ${token}`

const dataOf = ({ fill, names }: ToldFill, price: bigint, previous: bigint | undefined): PriceChangeData => {
  const token = names.token(fill.token)
  return {
    token_id: token.id,
    price: exactAmount(price),
    previous_price: previous === undefined ? null : exactAmount(previous),
    updated_at: String(fill.at.getTime()),
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...placeOnChain(fill),
  }
}

/** Who may be told of which trade, in order. Every trade counts once: the taker's own row says what the others say. */
const sightingsOf = ({ entries, watchers }: Batch<ToldFill>): ReadonlyArray<Sighting> =>
  entries.flatMap(({ event, told }) =>
    told.flatMap((one) => {
      const { fill, names } = one
      const price = priceInMicros(fill.usd, fill.shares)
      if (fill.taker === null || price === undefined) return []
      return [...watchers.of(tokenFacets(names.token(fill.token)))]
        .filter(({ since }) => since < event.seq)
        .map((watcher) => ({ ...one, watcher, price }))
    }),
  )

/** The price of a token is that of its newest trade. */
export const priceChange = Effect.gen(function* () {
  const postgres = yield* Postgres
  const store = priceStore(postgres)
  const before = toldBefore(postgres, "price_change")

  const evaluate = Effect.fnUntraced(function* (
    batch: Batch<ToldFill>,
    recall: Recall<Wanted, LastPrice>,
    isPreview: boolean,
  ) {
    const sightings = sightingsOf(batch)
    const wanted = new Map(
      sightings.map(({ watcher, fill }) => [keyOf(watcher, fill.token), { webhook: watcher.id, token: fill.token }]),
    )
    const known = yield* recall(wanted)
    const isToldBefore = yield* (isPreview ? nothingTold : before)(sightings)
    const changes = new Map<string, LastPrice>()
    const owed: Array<Owed> = []
    for (const sighting of sightings) {
      if (isToldBefore(sighting)) continue
      const { watcher, fill, price, identity } = sighting
      const key = keyOf(watcher, fill.token)
      const last = (changes.get(key) ?? known.get(key))?.price
      const isTold = isPriceTold(price, last, watcher.filters.min_delta_pct)
      if (isTold) owed.push({ watcher, identity, data: dataOf(sighting, price, last) })
      if (isTold || last === undefined) changes.set(key, { webhook: watcher.id, token: fill.token, price })
    }
    return { owed, changes }
  })

  const poller: Poller<ToldFill> = {
    name: "price_change",
    tellers: new Map([["fill", fillTeller]]),
    ...remembering<ToldFill, Wanted, LastPrice>({
      evaluate,
      recall: () => (wanted) =>
        wanted.size === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              store.last([...wanted.values()]),
              (rows) => new Map(rows.map((row) => [`${row.webhook} ${row.token}`, row])),
            ),
      keep: (changes) => store.keep([...changes.values()].filter((row) => row !== undefined)),
    }),
  }
  return poller
})
