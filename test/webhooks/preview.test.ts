import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Filters, WebhookEventType } from "#src/webhooks/model.ts"
import { dataSchemas } from "#src/webhooks/payloadSchemas.ts"
import type { Envelope } from "#src/webhooks/polling/envelope.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { eventually } from "#test/support/eventually.ts"
import { hold } from "#test/support/hold.ts"
import { fill, handChain, hex, market, pairChange, wallet } from "./support/handChain.ts"
import { deliveriesOf, newAccount, newWebhook, stores, tick } from "./support/pending.ts"

const foundation = stores({ "webhooks.batch": "7", "webhooks.preview": "100" })

const transactionsOf = (samples: ReadonlyArray<Envelope>) => samples.map(({ data }) => Number(data["transaction_hash"]))

layer(Layer.provideMerge(Preview.layer, foundation), { excludeTestServices: true })("A preview", (it) => {
  it.effect("counts what would have been sent, returns the newest and writes nothing", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { preview } = yield* Preview
      const chain = yield* handChain
      const first = yield* chain.mine({ 1: [fill(), fill({ maker: 3, taker: null })] })
      yield* chain.mine({ 99: [fill({ maker: 3 })] })
      yield* chain.fork(first)
      yield* chain.mine({ 2: [pairChange("split", 3)], 3: [fill({ usd: usdc(9_000_000) }), fill({ maker: 3 })] })
      yield* chain.mine({ 4: [pairChange("merge", 3), pairChange("split", 3)] })
      yield* chain.wait(3)
      yield* chain.mine({ 5: [fill({ maker: 3 })] })

      const trades = yield* preview({ eventTypes: ["trade"], filters: {} })
      assert.deepInclude(trades, { matched: 3, by_type: { trade: 3 }, complete: true })
      assert.deepStrictEqual(transactionsOf(trades.samples), [3, 3, 1])
      assert.closeTo(trades.since.getTime(), Date.now() - 86_400_000, 60_000)

      const filters = { wallet_addresses: [wallet(3)] }
      const several = yield* preview({ eventTypes: ["trade", "split", "merge", "wallet_activity"], filters })
      assert.deepInclude(several, { matched: 10, by_type: { trade: 2, split: 2, merge: 1, wallet_activity: 5 } })
      assert.strictEqual(several.samples.length, 5)
      assert.deepStrictEqual(
        new Set(several.samples.map(({ type }) => type)),
        new Set(["trade", "split", "merge", "wallet_activity"]),
      )
      assert.deepInclude(yield* preview({ eventTypes: ["large_trade"], filters: { min_amount_usd: 9 } }), {
        matched: 1,
      })
      for (const table of ["webhook_delivery", "webhook_cursor", "webhook_quota"])
        assert.deepStrictEqual(yield* sql`select 1 from ${sql(table)}`, [])

      // The samples equal a real webhook's deliveries except for the ids.
      const [sample] = trades.samples
      yield* sql`delete from webhook_cursor`
      yield* sql`insert into webhook_cursor (poller, seq, block, moved_at) values ('trade', 0, 0, now())`
      const webhook = yield* newWebhook(yield* newAccount("growth"), ["trade"])
      yield* sql`update webhook set since_seq = 0`
      yield* tick("trade")
      const due = yield* deliveriesOf(webhook)
      assert.deepStrictEqual(due.at(-1)?.envelope.data, sample?.data)
      assert.deepStrictEqual(Object.keys(due[0]?.envelope ?? {}), Object.keys(sample ?? {}))
    }),
  )

  it.effect("covers 24 hours of facts, however many there are, and says when it does not cover everything", () =>
    Effect.gen(function* () {
      const { preview } = yield* Preview
      const chain = yield* handChain
      yield* chain.mine({ 11: Array.from({ length: 140 }, () => fill()) })
      yield* chain.wait(3)
      const trades = yield* preview({ eventTypes: ["trade"], filters: {} })
      assert.deepStrictEqual([trades.matched, trades.complete, trades.samples.length], [144, true, 5])
      assert.closeTo(trades.since.getTime(), Date.now() - 86_400_000, 60_000)
      // A change of price needs the prices before it, so the entries themselves are read.
      const prices = yield* preview({ eventTypes: ["trade", "price_change"], filters: {} })
      assert.deepStrictEqual([prices.by_type["trade"], prices.complete], [144, false])
      assert.closeTo(prices.since.getTime(), Date.now(), 60_000)
      const ofOthers = { token_ids: [market.otherToken] }
      assert.isTrue((yield* preview({ eventTypes: ["price_change"], filters: ofOthers })).complete)
    }),
  )

  it.effect("counts with every filter what would have been sent", () =>
    Effect.gen(function* () {
      const { preview } = yield* Preview
      const chain = yield* handChain
      const code = hex(0xb1)
      const [other, condition] = [{ token_ids: [market.otherToken] }, { condition_ids: [market.condition] }]
      const inOther = { token: hex(Number(market.otherToken)) }
      yield* chain.mine({
        12: [
          fill({ ...inOther, side: "sell", builder: code }),
          fill({ ...inOther, taker: null, maker: 9, usd: usdc(5_000_000) }),
        ],
      })
      yield* chain.wait(3)
      const matched = (type: WebhookEventType, filters: Filters) =>
        Effect.map(preview({ eventTypes: [type], filters }), (seen) => [seen.matched, seen.samples.length])
      assert.deepStrictEqual(yield* matched("trade", other), [1, 1])
      assert.deepStrictEqual(yield* matched("trade", { ...other, side: "BUY" }), [0, 0])
      assert.deepStrictEqual(yield* matched("trade", { ...condition, side: "SELL" }), [1, 1])
      assert.deepStrictEqual(yield* matched("trade", { tags: ["crypto"] }), [0, 0])
      assert.deepStrictEqual(yield* matched("trade", { event_slugs: ["none"] }), [0, 0])
      assert.deepStrictEqual(yield* matched("trade", { wallet_addresses: [wallet(9)], min_amount_usd: 5 }), [1, 1])
      assert.deepStrictEqual(yield* matched("builder_trade", { builder_codes: [`0x${code}`] }), [1, 1])
      assert.deepStrictEqual(yield* matched("split", { wallet_addresses: [wallet(3)], ...condition }), [2, 2])
      assert.deepStrictEqual(yield* matched("merge", { wallet_addresses: [wallet(4)] }), [0, 0])
      assert.deepStrictEqual(yield* matched("fee_earned", { min_fee_usd: 1 }), [0, 0])
      assert.deepStrictEqual(yield* matched("neg_risk_conversion", {}), [0, 0])
      assert.deepStrictEqual(yield* matched("position_status_change", { wallet_addresses: [wallet(9)] }), [1, 1])
    }),
  )

  it.effect("finds the newest event for a test delivery, without the filters if none matches", () =>
    Effect.gen(function* () {
      const { example } = yield* Preview
      const own = yield* example("trade", { wallet_addresses: [wallet(9)] })
      assert.deepInclude(own, { maker: wallet(9), amount_usd: 5 })
      const other = yield* example("trade", { wallet_addresses: [wallet(999)] })
      assert.deepInclude(other, { maker: wallet(1), direction: "SELL" })
      Schema.decodeUnknownSync(dataSchemas.trade)(other)
      assert.isUndefined(yield* example("pnl_change", { wallet_addresses: [wallet(999)] }))
    }),
  )

  it.effect("reaches as far back when many entries of other kinds exist", () =>
    Effect.gen(function* () {
      const { tx } = yield* Postgres
      const { preview } = yield* Preview
      const log = yield* EventLog
      yield* tx(log.append(Array.from({ length: 300 }, () => ({ kind: "score", ref: 1n }))))
      const { scanned } = yield* preview({ eventTypes: ["price_change"], filters: {} })
      assert.strictEqual(scanned, 100)
    }),
  )
})

const hurried = stores({ "webhooks.preview-budget": "300ms" })

layer(Layer.provideMerge(Preview.layer, hurried), { excludeTestServices: true })("A preview of a slow log", (it) => {
  it.effect("ends at its time limit, and runs once per account and twice per server at a time", () =>
    Effect.gen(function* () {
      const { preview } = yield* Preview
      const options = { eventTypes: ["trade"] as const, filters: {} }
      const accounts = yield* Effect.all([newAccount("growth"), newAccount("growth"), newAccount("growth")])
      const ask = (place: number) => preview({ ...options, account: accounts[place] })
      const release = yield* hold("lock table event_log in access exclusive mode")
      const first = yield* Effect.forkChild(ask(0), { startImmediately: true })
      const again = yield* Effect.flip(ask(0))
      const second = yield* Effect.forkChild(ask(1), { startImmediately: true })
      const third = yield* Effect.flip(ask(2))
      assert.deepInclude(again, { _tag: "PreviewBusy", whose: "account" })
      assert.deepInclude(third, { _tag: "PreviewBusy", whose: "server" })
      for (const fiber of [first, second])
        assert.deepInclude(yield* Fiber.join(fiber), {
          matched: 0,
          by_type: { trade: 0 },
          complete: false,
          samples: [],
        })
      yield* release
      yield* eventually(
        "there is time enough",
        Effect.map(ask(0), ({ complete }) => complete),
      )
    }),
  )
})
