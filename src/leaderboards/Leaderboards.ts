import { Context, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { type MakerPayments, paymentsTo } from "#src/ledger/PaymentStore.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type BoardQuery, isKept, type ScopeRow, type Snapshot } from "./BoardQuery.ts"
import type { BoardRows } from "./BoardRows.ts"
import { boardStore } from "./BoardStore.ts"
import { marketBoardStore } from "./MarketBoardStore.ts"
import { depthFor, FallenBehind, NotBuilt, type RollingPeriod, type ScopeKind } from "./model.ts"
import { leaderboardsCache, leaderboardsLook } from "./settings.ts"
import { sharedPoll } from "./sharedPoll.ts"
import { makeSnapshots } from "./snapshots.ts"

/** Concurrent board reads, so that connections stay free for other reads. */
const concurrentReads = 3

const keyOf = ({ scope, period, sort, withPartial, ranks }: BoardQuery) =>
  [scope.kind, period, sort, withPartial, depthFor(period, ranks), "value" in scope ? scope.value : ""].join(" ")

type NoBoard = NotBuilt | FallenBehind | UnknownName | SqlError

/** Leaderboards and the list of scopes, each as of one version. */
export class Leaderboards extends Context.Service<
  Leaderboards,
  {
    /** At least the requested ranks and one more, down to the board's depth. */
    readonly board: (query: BoardQuery) => Effect.Effect<Snapshot<BoardRows>, NoBoard>
    /** What the venue paid these wallets up to a time, by address; nothing for the others. */
    readonly payments: (
      wallets: ReadonlyArray<string>,
      until: number,
    ) => Effect.Effect<ReadonlyMap<string, MakerPayments>, SqlError>
    /** Most wallets first. */
    readonly scopes: (
      kind: ScopeKind,
      period: RollingPeriod,
    ) => Effect.Effect<Snapshot<ReadonlyArray<ScopeRow>>, NotBuilt | SqlError>
  }
>()("presage/leaderboards/Leaderboards") {
  static readonly layer = Layer.effect(
    Leaderboards,
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const store = boardStore(postgres)
      const markets = marketBoardStore(postgres)
      const names = nameStore(postgres.reads)
      const config = yield* Configuration
      const maxRows = config.get(leaderboardsCache)
      const boards = yield* makeSnapshots<BoardRows, NoBoard>(maxRows)
      const lists = yield* makeSnapshots<ReadonlyArray<ScopeRow>, NotBuilt | SqlError>(maxRows)
      const turns = yield* Semaphore.make(concurrentReads)

      const state = yield* sharedPoll(store.state, config.get(leaderboardsLook))
      const built = Effect.flatMap(state, (found) =>
        found === undefined ? Effect.fail(new NotBuilt()) : Effect.succeed(found),
      )
      const inTurn = <A, E, E2>(load: Effect.Effect<A | undefined, E>, otherwise: E2) =>
        Effect.flatMap(turns.withPermit(load), (found) =>
          found === undefined ? Effect.fail(otherwise) : Effect.succeed(found),
        )

      const load = Effect.fnUntraced(function* (query: BoardQuery) {
        const { scope } = query
        const depth = depthFor(query.period, query.ranks)
        if (isKept(scope)) {
          const board = yield* inTurn(store.board(scope, query, depth), new NotBuilt())
          if (board.rows.length === 0 && scope.kind !== "everything" && !(yield* store.hadBoard(scope)))
            yield* names.check([scope])
          return board
        }
        if (scope.kind === "combos")
          return yield* inTurn(markets.board(yield* markets.combos, query, depth), new FallenBehind())
        const tokens = yield* markets.tokensOf(scope)
        if (tokens === undefined) return yield* yield* names.unknown(scope)
        return yield* inTurn(markets.board(tokens, query, depth), new FallenBehind())
      })

      return Leaderboards.of({
        board: (query) => Effect.flatMap(built, ({ version }) => boards(keyOf(query), version, load(query))),
        payments: Effect.fn("Leaderboards.payments")((wallets, until) => paymentsTo(postgres.reads, wallets, until)),
        scopes: Effect.fn("Leaderboards.scopes")((kind, period) =>
          Effect.flatMap(built, ({ version }) =>
            lists(`${kind} ${period}`, version, inTurn(store.scopes(kind, period), new NotBuilt())),
          ),
        ),
      })
    }),
  )
}
