import { Effect } from "effect"
import { exactAmount, type Usdc, usdc, usdcOf } from "#src/domain/amounts.ts"
import { Mentions, type Names, nameLoader } from "#src/feed/Names.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { PnlChangeData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import { blocksOf, type FactPosition, positionKey, positionRenderer, seqsByPosition } from "../factPositions.ts"
import type { Batch, PendingDelivery, Poller, Watcher } from "../model.ts"
import { chainFields, eventOf, marketOfToken, timestampOf } from "../payloadFields.ts"
import { alreadySent, type LoadState, noneSent, stateful } from "../stateful.ts"
import type { LastRealized, LastRealizedKey } from "./PnlStore.ts"
import * as PnlStore from "./PnlStore.ts"
import { isReportedPnl, lastOfEach, pairOf, type RealizedTotal, runningTotals } from "./runningTotals.ts"

type PnlQuery = ReadonlyMap<string, LastRealizedKey>

/** A realized amount and a webhook that it may be reported to. */
interface Candidate {
  readonly watcher: Watcher
  readonly identity: string
  readonly event: RealizedTotal
}

const keyOf = (webhook: string, of: Pick<RealizedTotal, "wallet" | "token">) => `${webhook} ${pairOf(of)}`

const dataOf = (event: RealizedTotal, change: Usdc<bigint>, names: Names): PnlChangeData => {
  const token = names.token(event.token)
  return {
    wallet: event.address,
    token_id: token.id,
    realized_pnl: exactAmount(event.total),
    change: exactAmount(change),
    reason: event.reason,
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...chainFields(event),
    timestamp: timestampOf(event),
  }
}

/** Changes of the total that a wallet realized with a token, against what a webhook was sent last. */
export const pnlChange = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres
  const sentBefore = alreadySent(reads, "pnl_change")
  const loadNames = yield* nameLoader

  /**
   * Amounts that watched wallets realized; a resolution realizes for every holder. Queries who realized something
   * rather than the watched wallets, of which there may be millions.
   */
  const eventsOf = Effect.fnUntraced(function* ({ entries, watchers }: Batch<FactPosition>) {
    const blocks = blocksOf(entries)
    if (blocks.length === 0 || watchers.wallets.size === 0) return []
    const watched = (yield* PnlStore.realizers(reads, blocks)).filter(({ address }) => watchers.wallets.has(address))
    if (watched.length === 0) return []
    const rows = yield* PnlStore.realized(
      reads,
      blocks,
      watched.map(({ id }) => id),
    )
    if (rows.length === 0) return []
    const totals = yield* PnlStore.totals(reads, lastOfEach(rows))
    return runningTotals(rows, new Map(totals.map((row) => [pairOf(row), row.total])))
  })

  const evaluate = Effect.fnUntraced(function* (
    batch: Batch<FactPosition>,
    load: LoadState<PnlQuery, LastRealized>,
    isPreview: boolean,
  ) {
    const events = yield* eventsOf(batch)
    const mentions = new Mentions()
    for (const { token } of events) mentions.tokens.add(token)
    const names = yield* loadNames(mentions)
    const seqs = seqsByPosition(batch.entries)
    const candidates = events.flatMap((event): ReadonlyArray<Candidate> => {
      const { block, log_index: logIndex, fact_sub: sub, reason } = event
      const seq = seqs.get(positionKey({ kind: PnlStore.factOf[reason], block, logIndex, sub }))
      if (seq === undefined) return []
      const token = names.token(event.token)
      const facets = { ...tokenFacets(token), wallets: [event.address] }
      const identity = `${reason} ${event.tx} ${event.ordinal} ${event.address} ${token.id}`
      return [...batch.watchers.matching(facets)]
        .filter(({ since }) => since < seq)
        .map((watcher) => ({ watcher, identity, event }))
    })
    const saved = yield* load(
      new Map(
        candidates.map(({ watcher, event: { wallet, token } }) => [
          keyOf(watcher.id, { wallet, token }),
          { webhook: watcher.id, wallet, token },
        ]),
      ),
    )
    const isSent = yield* (isPreview ? noneSent : sentBefore)(candidates)
    const changes = new Map<string, LastRealized>()
    const deliveries: Array<PendingDelivery> = []
    for (const candidate of candidates) {
      if (isSent(candidate)) continue
      const { watcher, identity, event } = candidate
      const { wallet, token, total, amount } = event
      const key = keyOf(watcher.id, event)
      const last = (changes.get(key) ?? saved.get(key))?.realized
      const change = usdc(total - (last ?? total - amount))
      const { min_pnl_change_usd: min } = watcher.filters
      const isReported = isReportedPnl(change, min === undefined ? undefined : usdcOf(min))
      if (isReported) deliveries.push({ watcher, identity, data: dataOf(event, change, names) })
      if (isReported || last === undefined) {
        changes.set(key, { webhook: watcher.id, wallet, token, realized: isReported ? total : usdc(total - amount) })
      }
    }
    return { deliveries, changes }
  })

  const poller: Poller<FactPosition> = {
    name: "pnl_change",
    renderers: new Map(PnlStore.realizingKinds.map((kind) => [kind, positionRenderer])),
    ...stateful<FactPosition, PnlQuery, LastRealized>({
      evaluate,
      load: () => (query) =>
        query.size === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              PnlStore.last(reads, [...query.values()]),
              (rows) => new Map(rows.map((row) => [keyOf(row.webhook, row), row])),
            ),
      save: (changes) =>
        PnlStore.save(
          sql,
          [...changes.values()].filter((row) => row !== undefined),
        ),
    }),
  }
  return poller
})
