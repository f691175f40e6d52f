import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { webhooksPoll } from "#actors/webhooksPoll.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksDeliver, WebhooksPoll } from "#src/webhooks/contracts.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { makePolling } from "#src/webhooks/polling/Polling.ts"
import { tradePollers } from "#src/webhooks/polling/trade/trade.ts"
import { eventually } from "#test/support/eventually.ts"
import { fill, handChain, hex, market, wallet } from "../support/handChain.ts"
import {
  changeWebhook,
  deleteWebhook,
  deliveriesOf,
  newAccount,
  newWebhook,
  stores,
  tick,
  transactionsOf,
} from "../support/pending.ts"

const cursor = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ seq: bigint; block: number }>`select seq, block from webhook_cursor where poller = 'trade'`,
    ([row]) => row ?? assert.fail(),
  ),
)

layer(stores({ "webhooks.batch": "4" }), { excludeTestServices: true })("A poller", (it) => {
  it.effect("delivers confirmed events once, in any number of ticks, and enqueues them", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      yield* tick("trade")
      const account = yield* newAccount("enterprise")
      const all = yield* newWebhook(account, ["trade"])
      const own = yield* newWebhook(account, ["trade"], { wallet_addresses: [wallet(3)], later_filter: 1 })
      yield* newWebhook(account, ["trade"], { wallet_addresses: "not a list" })
      const first = yield* chain.mine({ 1: [fill(), fill({ maker: 3, taker: null })], 2: [fill({ maker: 5 })] })
      yield* chain.wait(2)
      yield* tick("trade")
      assert.deepStrictEqual(yield* transactionsOf(all), [])
      yield* chain.mine({ 3: Array.from({ length: 9 }, () => fill()) })
      yield* tick("trade")
      yield* tick("trade")
      assert.deepStrictEqual(yield* transactionsOf(all), [1, 2])
      assert.deepStrictEqual(yield* transactionsOf(own), [1])
      assert.strictEqual((yield* cursor).block, first)

      const [delivery] = yield* deliveriesOf(all)
      const { envelope, event_id, status } = delivery ?? assert.fail()
      assert.strictEqual(status, "pending")
      assert.strictEqual(envelope.id, `evt_${event_id}`)
      assert.match(envelope.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      assert.deepInclude(envelope.data, {
        id: `0x${hex(1)}_0`,
        maker: wallet(1),
        taker: wallet(2),
        token_id: market.token,
        condition_id: market.condition,
        direction: "BUY",
        price: 0.5,
        amount_usd: 2,
        builder: `0x${hex(0)}`,
        block_number: first,
      })

      yield* chain.wait(3)
      yield* tick("trade")
      // More than a page, each with its own ordinal in the transaction.
      assert.deepStrictEqual(yield* transactionsOf(all), [1, 2, ...Array.from({ length: 9 }, () => 3)])
      assert.strictEqual((yield* cursor).seq, yield* (yield* EventLog).head)
      const jobs = yield* Jobs
      const waiting = yield* Effect.promise(() => jobs.queue(WebhooksDeliver).getWaiting())
      const written = [...(yield* deliveriesOf(all)), ...(yield* deliveriesOf(own))]
      assert.sameDeepMembers(
        waiting.map(({ data }) => data),
        written.map(({ id }) => ({ delivery: String(id), attempt: 1 })),
      )
    }),
  )

  it.effect("that never ran before misses nothing after the first webhook", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      yield* chain.mine({ 41: [fill()] })
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["large_trade"], { min_amount_usd: 1 })
      yield* chain.mine({ 42: [fill()] })
      yield* chain.wait(3)
      yield* tick("large_trade")
      assert.deepStrictEqual(yield* transactionsOf(webhook), [42])
    }),
  )

  it.effect("runs with its job", () =>
    Effect.gen(function* () {
      yield* Layer.build(webhooksPoll)
      const chain = yield* handChain
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["trade"])
      yield* chain.mine({ 51: [fill()] })
      yield* chain.wait(3)
      yield* (yield* Jobs).enqueue(WebhooksPoll, { poller: "trade" as const })
      yield* eventually(
        "the trade is pending",
        Effect.map(transactionsOf(webhook), (due) => due.includes(51)),
      )
    }),
  )

  it.effect("skips events that are retracted in time, and does not repeat events that are included again", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["trade"])
      const first = yield* chain.mine({ 11: [fill()] })
      yield* chain.mine({ 12: [fill()] })
      yield* chain.fork(first)
      yield* chain.mine({ 13: [fill({ maker: 9 })] })
      yield* chain.mine({ 12: [fill({ maker: 9 })] })
      yield* chain.wait(3)
      yield* tick("trade")
      assert.deepStrictEqual(yield* transactionsOf(webhook), [11, 13, 12])

      // Deeper than the confirmations: 12 returns in another block at another position, with a new fact.
      yield* chain.fork(first)
      yield* chain.mine()
      yield* chain.mine({ 14: [fill()], 12: [fill({ maker: 9 })] })
      yield* chain.wait(3)
      yield* tick("trade")
      assert.deepStrictEqual(yield* transactionsOf(webhook), [11, 13, 12, 14])
    }),
  )

  it.effect("starts with what comes after a webhook, even if that is created during a tick", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const { sql, tx } = yield* Postgres
      const account = yield* newAccount("enterprise")
      const early = yield* newWebhook(account, ["trade"])
      yield* chain.mine({ 21: [fill()] })
      const [isMade, mayCommit] = [yield* Deferred.make<WebhookId>(), yield* Deferred.make<void>()]
      const making = newWebhook(account, ["trade"]).pipe(
        Effect.tap((id) => Deferred.succeed(isMade, id)),
        Effect.tap(() => Deferred.await(mayCommit)),
        tx,
      )
      const maker = yield* Effect.forkChild(making)
      const late = yield* Deferred.await(isMade)
      yield* chain.mine({ 22: [fill()] })
      yield* chain.wait(3)
      const ticking = yield* Effect.forkChild(tick("trade"))
      const isWaiting = Effect.map(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        (rows) => rows.length > 0,
      )
      yield* eventually("the tick waits for the webhook", isWaiting)
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(maker)
      yield* Fiber.join(ticking)
      assert.deepStrictEqual(yield* transactionsOf(early), [21, 22])
      assert.deepStrictEqual(yield* transactionsOf(late), [22])
    }),
  )

  it.effect("makes progress while webhooks keep changing between its read and its commit", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const { reads } = yield* Postgres
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["trade"])
      yield* tick("trade")
      yield* chain.mine({ 61: [fill()] })
      yield* chain.wait(3)
      const [wanted, changed] = [yield* Queue.unbounded<void>(), yield* Queue.unbounded<void>()]
      yield* Queue.take(wanted).pipe(
        Effect.andThen(changeWebhook(webhook, true)),
        Effect.andThen(Queue.offer(changed, undefined)),
        Effect.forever,
        Effect.forkScoped,
      )
      const isWaiting = Effect.map(
        reads`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        (rows) => rows.length > 0,
      )
      let steps = 0
      const [trade = assert.fail()] = tradePollers
      const disturbed: typeof trade = {
        ...trade,
        step: (batch) =>
          Effect.gen(function* () {
            // Without an end it would never reach the assertions.
            if (++steps > 50) return yield* trade.step(batch)
            yield* Queue.offer(wanted, undefined)
            yield* Effect.raceFirst(Queue.take(changed), eventually("the change waits", isWaiting))
            return yield* trade.step(batch)
          }),
      }
      yield* (yield* (yield* makePolling)(disturbed)).tick
      assert.isAtMost(steps, 10)
      assert.deepStrictEqual(yield* transactionsOf(webhook), [61])
    }),
  )

  it.effect("holds deliveries of an inactive webhook and writes none for a deleted one", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const chain = yield* handChain
      const account = yield* newAccount("starter")
      const paused = yield* newWebhook(account, ["trade"], {}, false)
      const gone = yield* newWebhook(account, ["trade"])
      yield* chain.mine({ 31: [fill()] })
      yield* chain.wait(3)
      yield* tick("trade")
      yield* changeWebhook(paused, true)
      yield* deleteWebhook(gone)
      yield* chain.mine({ 32: [fill()] })
      yield* chain.wait(3)
      yield* tick("trade")
      assert.deepStrictEqual(
        (yield* deliveriesOf(paused)).map(({ status }) => status),
        ["held", "pending"],
      )
      assert.deepStrictEqual(yield* deliveriesOf(gone), [])
      const [held] = yield* deliveriesOf(paused)
      assert.deepStrictEqual(
        yield* sql`select event_id, attempt, success, error_class from webhook_attempt where webhook = ${paused}`,
        [{ event_id: held?.envelope.id, attempt: 0, success: false, error_class: "held" }],
      )
      assert.deepStrictEqual(yield* sql`select used, refused from webhook_quota where account_id = ${account}::uuid`, [
        { used: 2, refused: 0 },
      ])
    }),
  )

  it.effect("counts each delivery once against the daily quota and marks those beyond it", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const chain = yield* handChain
      const account = yield* newAccount("starter")
      const [one, two] = [yield* newWebhook(account, ["trade"]), yield* newWebhook(account, ["trade"])]
      yield* sql`insert into webhook_quota (account_id, day, used, refused) values (${account}::uuid, (now() at time zone 'utc')::date, 49995, 0)`
      yield* chain.mine({ 41: [fill(), fill()], 42: [fill(), fill()] })
      yield* chain.wait(3)
      // Two processes at the same time.
      const other = yield* makePolling
      const [trade] = tradePollers
      const again = yield* other(trade ?? assert.fail())
      yield* Effect.all([tick("trade"), again.tick], { concurrency: 2 })
      const written = [...(yield* deliveriesOf(one)), ...(yield* deliveriesOf(two))].toSorted((a, b) =>
        Number(a.id - b.id),
      )
      assert.deepStrictEqual(
        written.map(({ status }) => status),
        [...Array.from({ length: 5 }, () => "pending"), ...Array.from({ length: 3 }, () => "over_cap")],
      )
      assert.deepStrictEqual(yield* sql`select used, refused from webhook_quota where account_id = ${account}::uuid`, [
        { used: 50_000, refused: 3 },
      ])
      const unsent = yield* sql`select 1 from webhook_attempt where error_class = 'over_cap' and attempt = 0`
      assert.strictEqual(unsent.length, 3)
    }),
  )
})
