import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Mentions, nameLoader } from "#src/feed/Names.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { blocksOf, type FactPosition, positionKey, positionRenderer } from "../factPositions.ts"
import { lowestFork, reorgRenderer } from "../fills.ts"
import type { Batch, Poller, Watchers } from "../model.ts"
import { deliveriesFor } from "../stateless.ts"
import { type Followed, followPositions, holdingKey } from "./followPositions.ts"
import { holdingsAfter } from "./HoldingStore.ts"
import { addressBytes, positionKinds } from "./SeedStore.ts"
import { type LoggedPositionFact, statusOccurrence } from "./statusChangeData.ts"
import * as WatchedStore from "./WatchedStore.ts"
import { type MoveRow, noFork, type ResolvedRow, type Watched, watchedByRows } from "./WatchedStore.ts"

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

  /** Wallets that were seeded with retracted blocks, with their holdings at the fork. */
  const reseeded = Effect.fnUntraced(function* (fork: number) {
    const wallets = (yield* WatchedStore.seededAfter(reads, fork)).map(({ id }) => id)
    const held = wallets.length === 0 ? [] : yield* holdingsAfter(reads, wallets, fork)
    return { wallets, held: held.map((row): Followed => ({ ...row, since: fork })) }
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

  const noWallets = { wallets: [], held: [] }

  const step = Effect.fnUntraced(function* (batch: Batch<FactPosition>) {
    const fork = lowestFork(batch.entries)
    const { wallets, held } = fork === undefined ? noWallets : yield* reseeded(fork)
    const reseededWallets = new Set<number>(wallets)
    const { deliveries, holdings, undo } = yield* evaluate(batch, {
      watched: watchedByRows(reads, fork ?? noFork),
      holdings: (pairs, resolved) =>
        pairs.length + resolved.length === 0
          ? Effect.succeed([])
          : Effect.map(WatchedStore.holdings(reads, pairs, resolved, fork ?? noFork), (rows) => [
              ...rows.filter(({ wallet }) => !reseededWallets.has(wallet)),
              ...held,
            ]),
    })
    const sync = yield* syncWatched(batch.watchers)
    const save = Effect.gen(function* () {
      if (fork !== undefined) {
        yield* WatchedStore.undo(sql, fork)
        yield* WatchedStore.reseed(sql, wallets, held, fork)
      }
      yield* WatchedStore.save(sql, [...holdings.values()], [...undo.values()])
      yield* WatchedStore.dropUndoBefore(sql, batch.horizon.block - depth)
      yield* sync
    })
    return { deliveries, save }
  })

  /** Starts with the holdings after the first block of the first batch. */
  const preview = Effect.sync(() => {
    let memory: Map<string, Followed> | undefined
    let since = 0
    return Effect.fnUntraced(function* (batch: Batch<FactPosition>) {
      const addresses = addressBytes(batch.watchers.wallets.keys())
      const [first] = blocksOf(batch.entries)
      if (memory === undefined && first !== undefined) {
        since = first
        const ids = yield* reads<{ id: number }>`select id from wallet where address = any(${addresses})`
        const wallets = ids.map(({ id }) => id)
        const held = wallets.length === 0 ? [] : yield* holdingsAfter(reads, wallets, since)
        memory = new Map(held.map((row) => [holdingKey(row.wallet, row.token), { ...row, since }]))
      }
      const known = memory ?? new Map<string, Followed>()
      const { deliveries, holdings } = yield* evaluate(batch, {
        watched: reads`(select address, ${since}::int as since from unnest(${addresses}) a(address))`,
        holdings: () => Effect.succeed([...known.values()]),
      })
      for (const [key, holding] of holdings) known.set(key, holding)
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
