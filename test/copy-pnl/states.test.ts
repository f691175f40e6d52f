import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Metric } from "effect"
import { copyPnl } from "#actors/copyPnl.ts"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { CopyPnlRefresh, CopyPnlScore } from "#src/copy-pnl/contracts.ts"
import { type Address, addressOf, scoredDays } from "#src/copy-pnl/model.ts"
import { Scorer } from "#src/copy-pnl/Scorer.ts"
import * as ScoreStore from "#src/copy-pnl/ScoreStore.ts"
import { measureAge } from "#src/copy-pnl/scoreAgeGauge.ts"
import type { AccountId } from "#src/domain/Account.ts"
import { dayMillis } from "#src/domain/time.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { buysOf } from "./support/fills.ts"

const services = Layer.mergeAll(CopyPools.layer, Scorer.layer, accountKeys)
const stores = Layer.merge(services, Layer.effectDiscard(historyRead)).pipe(
  Layer.provideMerge(testFoundation({ "copy-pnl.page": "10" })),
)
const working = Layer.mergeAll(services, copyPnl).pipe(
  Layer.provideMerge(testFoundation({ "sweep.every": "100ms", "copy-pnl-score.attempts": "1" })),
)

const walletOf = (digit: string): Address => addressOf(`0x${digit.repeat(40)}`) ?? assert.fail(digit)
const newAccount = Effect.gen(function* () {
  const { account } = yield* (yield* Keys).open("starter", KeyName.make("test"))
  return account.id
})

const now = 1_794_700_800_000

/** Runs an effect with a clock that advances by `step` milliseconds at every read. */
const withSteps = <A, E, R>(start: number, step: number, effect: Effect.Effect<A, E, R>) =>
  Clock.clockWith((real) => {
    let now = start - step
    const clock = clockShowing(() => now, real)
    const asked = Effect.sync(() => {
      now += step
      return now
    })
    return Effect.provideService(effect, Clock.Clock, Clock.Clock.of({ ...clock, currentTimeMillis: asked }))
  })

const stateOf = (account: AccountId, wallet: Address) =>
  Effect.gen(function* () {
    const pools = yield* CopyPools
    const found = (yield* pools.followed(account, scoredDays)).find((each) => each.wallet === wallet)
    const { error, scores } = found ?? assert.fail(`${wallet} is not followed`)
    return { error: error?.reason, scores }
  })

layer(stores, { excludeTestServices: true })("The score of a followed wallet", (it) => {
  it.effect("is pending, then scored; a timeout without a result sets an error, which the next success clears", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("a")]
      const pools = yield* CopyPools
      const scorer = yield* Scorer
      yield* buysOf(wallet, 35, now)
      assert.isTrue((yield* pools.follow(account, [wallet])).scoresRequested)
      assert.deepStrictEqual(yield* stateOf(account, wallet), { error: undefined, scores: new Map() })

      yield* withSteps(now, 0, scorer.score(wallet))
      const scored = yield* stateOf(account, wallet)
      assert.strictEqual(scored.error, undefined)
      assert.deepStrictEqual(
        [...scored.scores.keys()].toSorted((a, b) => a - b),
        scoredDays,
      )
      const { computedAt: _, ...week } = scored.scores.get(7) ?? assert.fail()
      assert.deepStrictEqual(week, {
        days: 7,
        actual: -35n * 500_000n,
        backtest: -35n * 510_000n,
        trades: 35,
        partial: false,
      })

      yield* withSteps(now + 1_000, 200_000, scorer.score(wallet))
      const errored = yield* stateOf(account, wallet)
      assert.deepStrictEqual(errored, { error: "timeout_180s", scores: scored.scores })

      yield* withSteps(now + 2_000, 0, scorer.score(wallet))
      assert.strictEqual((yield* stateOf(account, wallet)).error, undefined)
    }),
  )

  it.effect("survives a later failure of an attempt that started before it", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("f")]
      const { sql } = yield* Postgres
      const scorer = yield* Scorer
      yield* withSteps(now, 0, (yield* CopyPools).follow(account, [wallet]))
      yield* withSteps(now, 0, scorer.score(wallet))
      const later = new Date(now + 60_000)
      yield* ScoreStore.fail(sql, wallet, "timeout_180s", later, new Date(now - 1))
      yield* scorer.fail(wallet, "score_failed")
      assert.strictEqual((yield* stateOf(account, wallet)).error, undefined)
      // Requested again since, and not scored.
      yield* ScoreStore.requestDue(sql, later, { old: later, failed: later }, 50)
      yield* scorer.fail(wallet, "score_failed")
      assert.strictEqual((yield* stateOf(account, wallet)).error, "score_failed")
    }),
  )

  it.effect("is retried soon after a transient failure, and after a day if it would fail again", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("0")]
      const { sql } = yield* Postgres
      yield* withSteps(now, 0, (yield* CopyPools).follow(account, [wallet]))
      const hour = 3_600_000
      const isDue = (millis: number) =>
        Effect.map(
          ScoreStore.requestDue(
            sql,
            new Date(millis),
            { old: new Date(millis - dayMillis), failed: new Date(millis - hour) },
            50,
          ),
          (asked) => asked.includes(wallet),
        )
      let at = now
      for (const [reason, millis] of [
        ["score_failed", hour],
        ["timeout_180s", dayMillis],
        ["timeouts_of_another_kind", hour],
        ["amount_too_large", dayMillis],
      ] as const) {
        yield* ScoreStore.fail(sql, wallet, reason, new Date(at))
        assert.isFalse(yield* isDue(at + millis - 1), reason)
        at += millis
        assert.isTrue(yield* isDue(at), reason)
      }
    }),
  )

  it.effect("is partial for periods that were not completed in time", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("b")]
      const scorer = yield* Scorer
      // 35 in the last hour and 35 from 20 days ago; a page has 10.
      yield* buysOf(wallet, 35, now)
      yield* buysOf(wallet, 35, now - 20 * dayMillis)
      yield* (yield* CopyPools).follow(account, [wallet])
      // The clock is read once for the scored moment, once for the deadline, and once per page.
      yield* withSteps(now, 30_000, scorer.score(wallet))
      const { error, scores } = yield* stateOf(account, wallet)
      assert.strictEqual(error, undefined)
      const found = scoredDays.map((days) => [days, scores.get(days)?.trades, scores.get(days)?.partial])
      assert.deepStrictEqual(found, [
        [7, 35, false],
        [14, 35, false],
        ...[30, 60, 90, 180].map((days) => [days, 50, true]),
      ])
    }),
  )

  it.effect("yields to other work between pages", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("c")]
      yield* buysOf(wallet, 500, now)
      yield* (yield* CopyPools).follow(account, [wallet])
      let turns = 0
      let next = setImmediate(function again() {
        turns++
        next = setImmediate(again)
      })
      yield* withSteps(now, 0, (yield* Scorer).score(wallet))
      clearImmediate(next)
      assert.strictEqual((yield* stateOf(account, wallet)).scores.get(7)?.trades, 500)
      assert.isAtLeast(turns, 50)
    }),
  )

  it.effect(
    "is shared by accounts, refreshed when old, and deleted a day after the last account unfollows the wallet",
    () =>
      Effect.gen(function* () {
        const [one, other, wallet] = [yield* newAccount, yield* newAccount, walletOf("d")]
        const { sql, tx } = yield* Postgres
        const pools = yield* CopyPools
        const at = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) => withSteps(millis, 0, effect)
        yield* at(now, pools.follow(one, [wallet]))
        yield* at(now, (yield* Scorer).score(wallet))
        const [fresh, old] = [now + dayMillis - 1, now + dayMillis]
        const before = (millis: number) => new Date(millis - dayMillis)
        // A later follower gets the score at once while it is not old.
        assert.isFalse((yield* at(fresh, pools.follow(other, [wallet]))).scoresRequested)
        assert.strictEqual((yield* stateOf(other, wallet)).scores.size, 6)

        const refreshed = (millis: number, most = 50) =>
          ScoreStore.requestDue(sql, new Date(millis), { old: before(millis), failed: before(millis) }, most)
        assert.notInclude(yield* refreshed(fresh), wallet)
        assert.lengthOf(yield* refreshed(old, 0), 0)
        assert.include(yield* refreshed(old), wallet)
        // Already requested.
        assert.notInclude(yield* refreshed(old), wallet)
        assert.include(yield* ScoreStore.waiting(sql, new Date(old + 1), 10), wallet)
        yield* at(old, (yield* Scorer).score(wallet))
        assert.notInclude(yield* ScoreStore.waiting(sql, new Date(old + 1), 10), wallet)

        const later = old + 2 * dayMillis
        const forget = tx(ScoreStore.deleteUnfollowed(sql, before(later), 10))
        yield* pools.unfollow(one, [wallet])
        assert.strictEqual(yield* forget, 0)
        yield* pools.unfollow(other, [wallet])
        assert.strictEqual(yield* tx(ScoreStore.deleteUnfollowed(sql, before(old + dayMillis - 1), 10)), 0)
        assert.strictEqual(yield* forget, 1)
        assert.lengthOf(yield* sql`select from copy_pnl_score s where s.wallet = decode(${wallet.slice(2)}, 'hex')`, 0)
        assert.isTrue((yield* at(later, pools.follow(one, [wallet]))).scoresRequested)
      }),
  )
})

layer(working, { excludeTestServices: true })("Copy score workers", (it) => {
  it.effect("score added wallets, jobs that Redis lost and due wallets, and report why a score is impossible", () =>
    Effect.gen(function* () {
      const [account, wallet] = [yield* newAccount, walletOf("e")]
      const { sql } = yield* Postgres
      const pools = yield* CopyPools
      const jobs = yield* Jobs
      const isScored = Effect.map(stateOf(account, wallet), ({ error, scores }) => !error && scores.size === 6)
      const queue = jobs.queue(CopyPnlScore)
      const delayed = Effect.promise(() => queue.getDelayedCount())
      const promote = Effect.promise(() => queue.promoteJobs())
      const id = yield* buysOf(wallet, 3, Date.now())
      const age = Effect.gen(function* () {
        yield* measureAge
        const found = (yield* Metric.snapshot).find(({ id }) => id === "presage_copy_pnl_age_seconds")
        return found?.type === "Gauge" ? Number(found.state.value) : undefined
      })
      assert.strictEqual(yield* age, 0)
      yield* pools.follow(account, [wallet])
      yield* sql`update copy_pnl_wallet set asked_at = asked_at - interval '1 hour'`
      assert.isAtLeast((yield* age) ?? 0, 3_600)
      // The history may be incomplete.
      yield* eventually(
        "postponed",
        Effect.map(delayed, (count) => count === 1),
      )
      assert.deepStrictEqual(yield* stateOf(account, wallet), { error: undefined, scores: new Map() })
      yield* historyRead
      yield* promote
      yield* eventually("scored", isScored)
      assert.isBelow((yield* age) ?? 3_600, 3_600)

      // As if Redis had lost the job.
      yield* sql`delete from copy_pnl_score`
      yield* sql`update copy_pnl_wallet set asked_at = now() - interval '1 minute', scored_at = null`
      yield* eventually("scored again", isScored)

      // Larger than the supported amounts.
      yield* sql`
        insert into split (block, log_index, at, wallet, condition, amount)
        values (1, 1, now(), ${id}, 1, ${2n ** 60n})`
      yield* sql`update copy_pnl_wallet set scored_at = now() - interval '2 days'`
      yield* jobs.enqueue(CopyPnlRefresh, {})
      yield* eventually(
        "errored",
        Effect.map(stateOf(account, wallet), ({ error, scores }) => error === "amount_too_large" && scores.size === 6),
      )
      yield* sql`delete from split`
      yield* jobs.enqueue(CopyPnlScore, { wallet })
      yield* eventually("scored after all", isScored)
    }),
  )
})
