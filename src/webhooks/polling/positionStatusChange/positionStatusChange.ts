import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Mentions, nameLoader } from "#src/feed/Names.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { blocksOf, type FactPosition, positionKey, positionRenderer } from "../factPositions.ts"
import { lowestFork, reorgRenderer } from "../fills.ts"
import { hashBytes } from "../hashBytes.ts"
import type { Batch, Poller, Watchers } from "../model.ts"
import { deliveriesFor } from "../stateless.ts"
import { followPositions, holdingKey } from "./followPositions.ts"
import { type Followed, holdingsAfter, type WantedHolding } from "./HoldingStore.ts"
import { positionKinds } from "./SeedStore.ts"
import { type LoggedPositionFact, statusOccurrence } from "./statusChangeData.ts"
import * as WatchedStore from "./WatchedStore.ts"
import { type MoveRow, noFork, type ResolvedRow, unseededByRows, type Watched, watchedByRows } from "./WatchedStore.ts"

/** Watched wallets and their positions, in rows or in memory. */
interface KnownPositions {
  readonly watched: ReturnType<Watched>
  readonly holdings: (
    pairs: ReadonlyArray<MoveRow>,
    resolved: ReadonlyArray<number>,
  ) => Effect.Effect<ReadonlyArray<Followed>, SqlError>
}

const keyOf = ({ kind, block, log_index: logIndex, sub }: MoveRow | ResolvedRow) =>
  positionKey({ kind, block, logIndex, sub })

/** Facts of watched wallets, in log order. */
const factsOf = (
  entries: Batch<FactPosition>["entries"],
  moves: ReadonlyArray<MoveRow>,
  resolutions: ReadonlyArray<ResolvedRow>,
): ReadonlyArray<LoggedPositionFact> => {
  const [movesAt, resolvedAt] = [Map.groupBy(moves, keyOf), Map.groupBy(resolutions, keyOf)]
  return entries.flatMap(({ event, rendered }) =>
    rendered.flatMap((position): ReadonlyArray<LoggedPositionFact> => {
      const moved = movesAt.get(positionKey(position)) ?? []
      const resolved = resolvedAt.get(positionKey(position)) ?? []
      const row = moved[0] ?? resolved[0]
      if (row === undefined) return []
      return [{ ...position, seq: event.seq, row, moves: moved, resolved: resolved.map(({ token }) => token) }]
    }),
  )
}

/** Status changes of watched wallets' positions, each followed from where it was seeded. */
export const positionStatusChange = Effect.gen(function* () {
  const { sql, reads } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  const loadNames = yield* nameLoader

  const evaluate = Effect.fnUntraced(function* ({ entries, watchers }: Batch<FactPosition>, known: KnownPositions) {
    const blocks = blocksOf(entries)
    const moves = blocks.length === 0 ? [] : yield* WatchedStore.moves(reads, known.watched, blocks)
    const resolvedBlocks = blocksOf(entries.filter(({ event }) => event.kind === "resolution"))
    const resolutions = resolvedBlocks.length === 0 ? [] : yield* WatchedStore.resolutions(reads, resolvedBlocks)
    const tokens = [...new Set(moves.map(({ token }) => token))]
    const resolved = tokens.length === 0 ? [] : yield* WatchedStore.resolvedAt(reads, tokens)
    const holdings = yield* known.holdings(
      moves,
      resolutions.map(({ token }) => token),
    )
    const followed = followPositions(
      holdings,
      factsOf(entries, moves, resolutions),
      new Map(resolved.map(({ token, block, log_index }) => [token, { block, logIndex: log_index }])),
    )
    const mentions = new Mentions()
    for (const { wallet, token } of followed.changes) {
      mentions.wallets.add(wallet)
      mentions.tokens.add(token)
    }
    const names = yield* loadNames(mentions)
    const deliveries = followed.changes.flatMap((change) =>
      deliveriesFor(watchers, change.fact.seq, statusOccurrence(change, names)),
    )
    return { ...followed, deliveries }
  })

  /** Those of wanted positions that are not known, from the ledger. */
  const fromLedger = (wanted: ReadonlyArray<WantedHolding>, isKnown: (key: string) => boolean) => {
    const missing = wanted.filter(({ wallet, token }) => !isKnown(holdingKey(wallet, token)))
    return missing.length === 0 ? Effect.succeed([]) : holdingsAfter(reads, missing)
  }

  /** Rows, or the ledger for wallets that are not seeded. In this order, because a job may seed them meanwhile. */
  const storedHoldings = Effect.fnUntraced(function* (
    pairs: ReadonlyArray<MoveRow>,
    resolved: ReadonlyArray<number>,
    fork: number,
  ) {
    if (pairs.length + resolved.length === 0) return []
    const wanted = yield* WatchedStore.wantedOf(reads, unseededByRows(reads, fork), pairs, resolved)
    const rows = yield* WatchedStore.holdings(reads, pairs, resolved, fork)
    const keys = new Set(rows.map(({ wallet, token }) => holdingKey(wallet, token)))
    return [...rows, ...(yield* fromLedger(wanted, (key) => keys.has(key)))]
  })

  // Compared only after webhooks have changed: there may be millions of wallets.
  let followedVersion: object | undefined
  const syncWatched = Effect.fnUntraced(function* ({ wallets, version }: Watchers) {
    if (version === followedVersion) return Effect.void
    const count = yield* WatchedStore.count(reads)
    if (count > wallets.size) {
      const unwatched = yield* WatchedStore.unwatched(reads, (address) => wallets.has(address))
      return WatchedStore.remove(sql, unwatched)
    }
    if (count < wallets.size) return WatchedStore.follow(sql, wallets.keys())
    followedVersion = version
    return Effect.void
  })

  const step = Effect.fnUntraced(function* (batch: Batch<FactPosition>) {
    const fork = lowestFork(batch.entries)
    const { deliveries, holdings, undo } = yield* evaluate(batch, {
      watched: watchedByRows(reads, fork ?? noFork),
      holdings: (pairs, resolved) => storedHoldings(pairs, resolved, fork ?? noFork),
    })
    const sync = yield* syncWatched(batch.watchers)
    const save = Effect.gen(function* () {
      if (fork !== undefined) yield* WatchedStore.rollBack(sql, fork)
      yield* WatchedStore.save(sql, [...holdings.values()], [...undo.values()])
      yield* WatchedStore.dropUndoBefore(sql, batch.horizon.block - depth)
      yield* sync
    })
    return { deliveries, save }
  })

  /** Starts with the holdings after the first block of the first batch. */
  const preview = Effect.sync(() => {
    const memory = new Map<string, Followed>()
    let since: number | undefined
    return Effect.fnUntraced(function* (batch: Batch<FactPosition>) {
      since ??= blocksOf(batch.entries)[0]
      const addresses = hashBytes(batch.watchers.wallets.keys())
      const watched = reads`(select address, ${since ?? 0}::int as since from unnest(${addresses}) a(address))`
      const { deliveries, holdings } = yield* evaluate(batch, {
        watched,
        holdings: Effect.fnUntraced(function* (pairs, resolved) {
          if (pairs.length + resolved.length === 0) return []
          const wanted = yield* WatchedStore.wantedOf(reads, watched, pairs, resolved)
          for (const row of yield* fromLedger(wanted, (key) => memory.has(key)))
            memory.set(holdingKey(row.wallet, row.token), row)
          return [...memory.values()]
        }),
      })
      for (const [key, holding] of holdings) memory.set(key, holding)
      return { deliveries, save: Effect.void }
    })
  })

  const poller: Poller<FactPosition> = {
    name: "position_status_change",
    renderers: new Map([
      ...positionKinds.map((kind) => [kind, positionRenderer] as const),
      ["reorg", reorgRenderer] as const,
    ]),
    step,
    preview,
    idle: WatchedStore.removeAll(sql),
  }
  return poller
})
