import { Effect } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import { Mentions, type Names, namesOf } from "#src/feed/Names.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { PnlChangeData } from "../../payloads/schemas.ts"
import { eventOf, marketOfToken, placeOnChain, timestampOf } from "../../payloads/shared.ts"
import { nothingTold, toldBefore } from "../alreadySent.ts"
import { microsOf } from "../matches.ts"
import type { Batch, Owed, Poller, Watcher } from "../model.ts"
import { blocksOf, placeKey, placeTeller, seqsByPlace, type ToldPlace } from "../places.ts"
import { tokenFacets } from "../pollers/facets.ts"
import { type Recall, remembering } from "../remembering.ts"
import { factOf, type LastRealized, pnlStore, realizingKinds } from "./PnlStore.ts"
import { isPnlTold, lastOfEach, pairOf, runningTotals, type Totalled } from "./runningTotals.ts"

type Wanted = ReadonlyMap<string, Omit<LastRealized, "realized">>

/** What somebody realized, and somebody who may be told. */
interface Sighting {
  readonly watcher: Watcher
  readonly identity: string
  readonly event: Totalled
}

const keyOf = (webhook: string, of: Pick<Totalled, "wallet" | "token">) => `${webhook} ${pairOf(of)}`

const dataOf = (event: Totalled, change: bigint, names: Names): PnlChangeData => {
  const token = names.token(event.token)
  return {
    wallet: event.address,
    token_id: token.id,
    realized_pnl: exactAmount(event.total),
    change: exactAmount(change),
    reason: event.reason,
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...placeOnChain(event),
    timestamp: timestampOf(event),
  }
}

/** Above or below what a webhook was told last of what a wallet has realized with a token. */
export const pnlChange = Effect.gen(function* () {
  const postgres = yield* Postgres
  const store = pnlStore(postgres)
  const before = toldBefore(postgres, "pnl_change")
  const loadNames = yield* namesOf

  /**
   * Of all that was realized, what watched wallets did; a resolution realizes for everybody who holds. Millions may be
   * watched, so it is asked who realized something and not whether any of those did.
   */
  const eventsOf = Effect.fnUntraced(function* ({ entries, watchers }: Batch<ToldPlace>) {
    const blocks = blocksOf(entries)
    if (blocks.length === 0 || watchers.wallets.size === 0) return []
    const watched = (yield* store.realizers(blocks)).filter(({ address }) => watchers.wallets.has(address))
    if (watched.length === 0) return []
    const rows = yield* store.realized(
      blocks,
      watched.map(({ id }) => id),
    )
    if (rows.length === 0) return []
    const totals = yield* store.totals(lastOfEach(rows))
    return runningTotals(rows, new Map(totals.map((row) => [pairOf(row), row.total])))
  })

  const evaluate = Effect.fnUntraced(function* (
    batch: Batch<ToldPlace>,
    recall: Recall<Wanted, LastRealized>,
    isPreview: boolean,
  ) {
    const events = yield* eventsOf(batch)
    const mentions = new Mentions()
    for (const { token } of events) mentions.tokens.add(token)
    const names = yield* loadNames(mentions)
    const seqs = seqsByPlace(batch.entries)
    const sightings = events.flatMap((event): ReadonlyArray<Sighting> => {
      const { block, log_index: logIndex, reason } = event
      const seq = seqs.get(placeKey({ kind: factOf[reason], block, logIndex, sub: 0 }))
      if (seq === undefined) return []
      const token = names.token(event.token)
      const facets = { ...tokenFacets(token), wallets: [event.address] }
      const identity = `${reason} ${event.tx} ${event.ordinal} ${event.address} ${token.id}`
      return [...batch.watchers.of(facets)]
        .filter(({ since }) => since < seq)
        .map((watcher) => ({ watcher, identity, event }))
    })
    const known = yield* recall(
      new Map(
        sightings.map(({ watcher, event: { wallet, token } }) => [
          keyOf(watcher.id, { wallet, token }),
          { webhook: watcher.id, wallet, token },
        ]),
      ),
    )
    const isToldBefore = yield* (isPreview ? nothingTold : before)(sightings)
    const changes = new Map<string, LastRealized>()
    const owed: Array<Owed> = []
    for (const sighting of sightings) {
      if (isToldBefore(sighting)) continue
      const { watcher, identity, event } = sighting
      const { wallet, token, total, amount } = event
      const key = keyOf(watcher.id, event)
      const last = (changes.get(key) ?? known.get(key))?.realized
      const change = total - (last ?? total - amount)
      const { min_pnl_change_usd: least } = watcher.filters
      const isTold = isPnlTold(change, least === undefined ? undefined : microsOf(least))
      if (isTold) owed.push({ watcher, identity, data: dataOf(event, change, names) })
      if (isTold || last === undefined) {
        changes.set(key, { webhook: watcher.id, wallet, token, realized: isTold ? total : total - amount })
      }
    }
    return { owed, changes }
  })

  const poller: Poller<ToldPlace> = {
    name: "pnl_change",
    tellers: new Map(realizingKinds.map((kind) => [kind, placeTeller])),
    ...remembering<ToldPlace, Wanted, LastRealized>({
      evaluate,
      recall: () => (wanted) =>
        wanted.size === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              store.last([...wanted.values()]),
              (rows) => new Map(rows.map((row) => [keyOf(row.webhook, row), row])),
            ),
      keep: (changes) => store.keep([...changes.values()].filter((row) => row !== undefined)),
    }),
  }
  return poller
})
