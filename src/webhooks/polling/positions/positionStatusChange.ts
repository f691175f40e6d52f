import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { grouped } from "#src/feed/grouped.ts"
import { Mentions, namesOf } from "#src/feed/Names.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { lowestFork, reorgTeller } from "../fills.ts"
import type { Batch, Poller, Watchers } from "../model.ts"
import { blocksOf, placeKey, placeTeller, type ToldPlace } from "../places.ts"
import { owedTo } from "../pollers/stateless.ts"
import { type Followed, followPositions, holdingKey } from "./followPositions.ts"
import { holdingsAfter } from "./HoldingStore.ts"
import { addressBytes, positionKinds } from "./seed.ts"
import { statusOccurrence, type ToldFact } from "./statusChangeData.ts"
import { type MoveRow, noFork, type ResolvedRow, type Watched, watchedByRows, watchedStore } from "./WatchedStore.ts"

/** Who is watched and what is known of their positions, in rows or in memory. */
interface Known {
  readonly watched: ReturnType<Watched>
  readonly holdings: (
    pairs: ReadonlyArray<MoveRow>,
    resolved: ReadonlyArray<number>,
  ) => Effect.Effect<ReadonlyArray<Followed>, SqlError>
}

const keyOf = ({ kind, block, log_index: logIndex, sub }: MoveRow | ResolvedRow) =>
  placeKey({ kind, block, logIndex, sub })

/** What entries say of watched wallets, in their order. */
const factsOf = (
  entries: Batch<ToldPlace>["entries"],
  moves: ReadonlyArray<MoveRow>,
  resolutions: ReadonlyArray<ResolvedRow>,
): ReadonlyArray<ToldFact> => {
  const [movesAt, resolvedAt] = [grouped(moves, keyOf), grouped(resolutions, keyOf)]
  return entries.flatMap(({ event, told }) =>
    told.flatMap((place): ReadonlyArray<ToldFact> => {
      const moved = movesAt.get(placeKey(place)) ?? []
      const resolved = resolvedAt.get(placeKey(place)) ?? []
      const row = moved[0] ?? resolved[0]
      if (row === undefined) return []
      return [{ ...place, seq: event.seq, row, moves: moved, resolved: resolved.map(({ token }) => token) }]
    }),
  )
}

/** How the positions of watched wallets stand: each is followed from where it was seeded. */
export const positionStatusChange = Effect.gen(function* () {
  const postgres = yield* Postgres
  const { reads } = postgres
  const depth = (yield* Configuration).get(reorgDepth)
  const store = watchedStore(postgres)
  const loadNames = yield* namesOf

  const evaluate = Effect.fnUntraced(function* ({ entries, watchers }: Batch<ToldPlace>, known: Known) {
    const blocks = blocksOf(entries)
    const moves = blocks.length === 0 ? [] : yield* store.moves(known.watched, blocks)
    const decided = blocksOf(entries.filter(({ event }) => event.kind === "resolution"))
    const resolutions = decided.length === 0 ? [] : yield* store.resolutions(decided)
    const tokens = [...new Set(moves.map(({ token }) => token))]
    const places = tokens.length === 0 ? [] : yield* store.resolvedAt(tokens)
    const holdings = yield* known.holdings(
      moves,
      resolutions.map(({ token }) => token),
    )
    const followed = followPositions(
      holdings,
      factsOf(entries, moves, resolutions),
      new Map(places.map(({ token, block, log_index }) => [token, { block, logIndex: log_index }])),
    )
    const mentions = new Mentions()
    for (const { wallet, token } of followed.changes) {
      mentions.wallets.add(wallet)
      mentions.tokens.add(token)
    }
    const names = yield* loadNames(mentions)
    const owed = followed.changes.flatMap((change) =>
      owedTo(watchers, change.fact.seq, statusOccurrence(change, names)),
    )
    return { ...followed, owed }
  })

  /** Wallets that were seeded with blocks that were taken back, with what they had at the fork. */
  const reseeded = Effect.fnUntraced(function* (fork: number) {
    const wallets = (yield* store.seededAfter(fork)).map(({ id }) => id)
    const held = wallets.length === 0 ? [] : yield* holdingsAfter(reads, wallets, fork)
    return { wallets, held: held.map((row): Followed => ({ ...row, since: fork })) }
  })

  // Those who are followed are only looked at when webhooks have been changed: there may be millions.
  let followedAll: object | undefined
  const followAsked = Effect.fnUntraced(function* ({ wallets, version }: Watchers) {
    if (version === followedAll) return Effect.void
    const count = yield* store.count
    if (count > wallets.size) return store.forget(yield* store.unasked((address) => wallets.has(address)))
    if (count < wallets.size) return store.follow(wallets.keys())
    followedAll = version
    return Effect.void
  })

  const nobody = { wallets: [], held: [] }

  const step = Effect.fnUntraced(function* (batch: Batch<ToldPlace>) {
    const fork = lowestFork(batch.entries)
    const { wallets, held } = fork === undefined ? nobody : yield* reseeded(fork)
    const anew = new Set<number>(wallets)
    const { owed, holdings, undo } = yield* evaluate(batch, {
      watched: watchedByRows(reads, fork ?? noFork),
      holdings: (pairs, resolved) =>
        pairs.length + resolved.length === 0
          ? Effect.succeed([])
          : Effect.map(store.holdings(pairs, resolved, fork ?? noFork), (rows) => [
              ...rows.filter(({ wallet }) => !anew.has(wallet)),
              ...held,
            ]),
    })
    const follow = yield* followAsked(batch.watchers)
    const save = Effect.gen(function* () {
      if (fork !== undefined) {
        yield* store.undo(fork)
        yield* store.reseed(wallets, held, fork)
      }
      yield* store.save([...holdings.values()], [...undo.values()])
      yield* store.settleBefore(batch.horizon.block - depth)
      yield* follow
    })
    return { owed, save }
  })

  /** From what was held after the first block of the first batch. */
  const preview = Effect.sync(() => {
    let memory: Map<string, Followed> | undefined
    let since = 0
    return Effect.fnUntraced(function* (batch: Batch<ToldPlace>) {
      const addresses = addressBytes(batch.watchers.wallets.keys())
      const [first] = blocksOf(batch.entries)
      if (memory === undefined && first !== undefined) {
        since = first
        const ids = yield* reads<{ id: number }>`select id from wallet where address = any(${addresses})`
        const wallets = ids.map(({ id }) => id)
        const held = wallets.length === 0 ? [] : yield* holdingsAfter(reads, wallets, since)
        memory = new Map(held.map((row) => [holdingKey(row.wallet, row.token), { ...row, since }]))
      }
      const remembered = memory ?? new Map<string, Followed>()
      const { owed, holdings } = yield* evaluate(batch, {
        watched: reads`(select address, ${since}::int as since from unnest(${addresses}) a(address))`,
        holdings: () => Effect.succeed([...remembered.values()]),
      })
      for (const [key, holding] of holdings) remembered.set(key, holding)
      return { owed, save: Effect.void }
    })
  })

  const poller: Poller<ToldPlace> = {
    name: "position_status_change",
    tellers: new Map([...positionKinds.map((kind) => [kind, placeTeller] as const), ["reorg", reorgTeller] as const]),
    step,
    preview,
    idle: store.forgetAll,
  }
  return poller
})
