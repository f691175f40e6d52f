import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { type Address, addressOf, scoredDays } from "#src/copy-pnl/model.ts"
import { Scorer } from "#src/copy-pnl/Scorer.ts"
import type { AccountId } from "#src/domain/Account.ts"
import { dayMillis } from "#src/domain/time.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { actionsOf } from "./support/actionsOf.ts"
import { referenceCopyPnl } from "./support/referenceCopyPnl.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const stores = (seed: number) =>
  Layer.mergeAll(ledger, CopyPools.layer, Scorer.layer, accountKeys).pipe(
    // Small pages, so that every history has many.
    Layer.provideMerge(
      testFoundation({ "event-log.retention": "3650d", "copy-pnl.page": "15" }, [], followedHistory(seed)),
    ),
  )

const at = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Clock.clockWith((real) =>
    Effect.provideService(
      effect,
      Clock.Clock,
      clockShowing(() => millis, real),
    ),
  )

/** Times at which windows start within the history, and one in its middle. */
const momentsOf = (actions: ReturnType<typeof actionsOf>) => {
  const times = [...actions.values()].flat().map((action) => action.at)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const middle = Math.round((first + last) / 2)
  // One is the time of a fact, which still counts; one is a full window after a fact, which no longer counts.
  return [middle, times[0] as number, ...[7, 30, 180].map((days) => middle + days * dayMillis), last + 7 * dayMillis]
}

const assertScores = (account: AccountId, wallets: ReadonlyArray<Address>, simulation: Simulation) =>
  Effect.gen(function* () {
    const actions = actionsOf(simulation)
    const scorer = yield* Scorer
    const pools = yield* CopyPools
    // Otherwise these times would be older than the stored scores.
    yield* (yield* Postgres).sql`update copy_pnl_wallet set scored_at = null`
    let differing = 0
    for (const moment of momentsOf(actions).toSorted((a, b) => a - b)) {
      yield* at(
        moment,
        Effect.forEach(wallets, (wallet) => scorer.score(wallet), { concurrency: 4 }),
      )
      for (const { wallet, scores, error } of yield* pools.followed(account, scoredDays)) {
        assert.isUndefined(error)
        const own = actions.get(wallet) ?? []
        for (const days of scoredDays) {
          const { actual, backtest, trades, partial, computedAt } = scores.get(days) ?? assert.fail(`${wallet} ${days}`)
          assert.deepStrictEqual({ actual, backtest, trades }, referenceCopyPnl(own, moment, days), `${wallet} ${days}`)
          assert.deepStrictEqual([partial, computedAt.getTime()], [false, moment])
          if (trades !== own.length) differing++
        }
      }
    }
    assert.isAbove(differing, 10)
  })

for (const seed of isSoak ? [71, 62] : [71]) {
  layer(stores(seed), { excludeTestServices: true })(`Copy scores in world ${seed}`, (it) => {
    it.effect(
      "match the reference implementation over the venue's books, also after more trades and a reorganisation",
      () =>
        Effect.gen(function* () {
          const { url, simulation } = yield* runningVenue(seed, { rate: isSoak ? 20 : 5 })
          simulation.settle()
          const { account } = yield* (yield* Keys).open("starter", KeyName.make("test"))
          const busiest = [...actionsOf(simulation)].toSorted(([, a], [, b]) => b.length - a.length)
          const kinds = ["split", "merge", "redemption", "conversion"]
          const various = kinds.flatMap(
            (kind) => busiest.find(([, own]) => own.some((action) => action.kind === kind)) ?? [],
          )
          const named = [
            ...busiest.slice(0, 3).map(([address]) => address),
            ...various.filter((each) => typeof each === "string"),
          ]
          const wallets = [...new Set([...named, `0x${"9".repeat(40)}`])].map(
            (each) => addressOf(each) ?? assert.fail(each),
          )
          yield* at(0, (yield* CopyPools).follow(account.id, wallets))
          yield* Effect.gen(function* () {
            const following = yield* startFollower
            yield* caughtUp(simulation, following)
            yield* assertScores(account.id, wallets, simulation)
            simulation.advance(120_000)
            simulation.reorg(8)
            simulation.settle()
            yield* caughtUp(simulation, following)
            yield* assertScores(account.id, wallets, simulation)
          }).pipe(Effect.provide(nodeAt(url)))
        }),
    )
  })
}
