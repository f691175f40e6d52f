import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { shares, usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import {
  type ConfirmationLevel,
  confirmationLevels,
  type WebhookEventType,
  type WebhookId,
} from "#src/webhooks/model.ts"
import { fill, handChain, hex, market, wallet } from "../support/handChain.ts"
import { deleteWebhook, deliveriesOf, newAccount, newWebhook, stores, tick } from "../support/pending.ts"

const received = (webhook: WebhookId, ...fields: ReadonlyArray<string>) =>
  Effect.map(deliveriesOf(webhook), (rows) =>
    rows.map(({ envelope: { data, confirmations } }) =>
      [Number(data["transaction_hash"]), confirmations, ...fields.map((field) => data[field])].join(" "),
    ),
  )

const finalWebhook = (types: ReadonlyArray<WebhookEventType>, filters = {}) =>
  Effect.flatMap(newAccount("enterprise"), (account) => newWebhook(account, types, filters, true, "finalized"))

const cursors = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ poller: string }>`select poller from webhook_cursor where poller like 'trade%' order by poller`,
    (rows) => rows.map(({ poller }) => poller),
  ),
)

layer(stores({ "webhooks.batch": "3", "ledger.reorg-depth": "40" }), { excludeTestServices: true })(
  "Webhooks with different confirmations",
  (it) => {
    it.effect("are sent a fact in its block, after three blocks, and once it is final", () =>
      Effect.gen(function* () {
        const chain = yield* handChain
        const account = yield* newAccount("enterprise")
        const webhooks = yield* Effect.forEach(confirmationLevels, (level) =>
          newWebhook(account, ["trade"], {}, true, level),
        )
        const all = () =>
          Effect.gen(function* () {
            yield* tick("trade")
            return yield* Effect.forEach(webhooks, (webhook) => received(webhook))
          })
        const base = yield* chain.mine()
        yield* chain.mine({ 1: [fill()] })
        assert.deepStrictEqual(yield* all(), [["1 0"], [], []])
        yield* chain.wait(3)
        assert.deepStrictEqual(yield* all(), [["1 0"], ["1 3"], []])
        yield* chain.finalize(base)
        assert.deepStrictEqual(yield* all(), [["1 0"], ["1 3"], []])

        // Deeper than three blocks: one transaction is gone, the other moves to a later block.
        yield* chain.fork(base)
        yield* chain.wait(2)
        yield* chain.mine({ 2: [fill()] })
        const moved = yield* chain.mine({ 1: [fill()] })
        assert.deepStrictEqual(yield* all(), [["1 0", "2 0"], ["1 3"], []])
        yield* chain.fork(moved - 1)
        const final = yield* chain.mine({ 3: [fill(), fill({ maker: 3 })] })
        yield* chain.wait(4)
        yield* chain.finalize(final)
        assert.deepStrictEqual(yield* all(), [
          ["1 0", "2 0", "3 0", "3 0"],
          ["1 3", "2 3", "3 3", "3 3"],
          ["2 finalized", "3 finalized", "3 finalized"],
        ])
      }),
    )

    it.effect("wait for a final block that the ledger has itself", () =>
      Effect.gen(function* () {
        const chain = yield* handChain
        const webhook = yield* finalWebhook(["split", "trade"])
        const block = yield* chain.mine({ 10: [fill()] })
        yield* chain.wait(5)
        yield* chain.finalizeOther(block + 1)
        yield* tick("trade")
        assert.deepStrictEqual(yield* received(webhook), [])
        yield* chain.finalize(block - 1)
        yield* tick("trade")
        assert.deepStrictEqual(yield* received(webhook), [])
        yield* chain.finalize(block)
        yield* tick("trade")
        assert.deepStrictEqual(yield* received(webhook), ["10 finalized"])
      }),
    )

    it.effect("are final after the reorg depth where no node says so", () =>
      Effect.gen(function* () {
        const chain = yield* handChain
        const webhook = yield* finalWebhook(["trade"])
        yield* chain.mine({ 20: [fill()] })
        yield* chain.wait(39)
        yield* tick("trade")
        assert.deepStrictEqual(yield* received(webhook), [])
        yield* chain.wait(1)
        yield* tick("trade")
        assert.deepStrictEqual(yield* received(webhook), ["20 finalized"])
      }),
    )

    it.effect("never hear of what was retracted before it was final, nor compare with it", () =>
      Effect.gen(function* () {
        const chain = yield* handChain
        const names = ["price_change", "pnl_change", "order_complete", "first_trade"] as const
        const prices = yield* finalWebhook(["price_change"], { token_ids: [market.token] })
        const gains = yield* finalWebhook(["pnl_change"], { wallet_addresses: [wallet(75)] })
        const orders = yield* finalWebhook(["order_complete"], { wallet_addresses: [wallet(75)] })
        const firsts = yield* finalWebhook(["first_trade"])
        const at = (usd: number, side: "buy" | "sell" = "buy") =>
          fill({ maker: 75, shares: shares(4_000_000), usd: usdc(usd), side, orderHash: hex(0x0f) })
        const ticks = Effect.forEach(names, (name) => tick(name), { discard: true })
        const base = yield* chain.mine({ 110: [at(2_000_000)] })
        yield* chain.mine({ 111: [at(3_100_000, "sell")], 119: [fill({ maker: 76 })] })
        yield* chain.wait(4)
        yield* ticks
        yield* chain.finalize(base)
        yield* ticks
        yield* chain.fork(base)
        yield* chain.wait(2)
        yield* chain.mine({ 112: [at(2_100_000, "sell")] })
        const last = yield* chain.mine()
        yield* chain.wait(20)
        yield* chain.finalize(last)
        yield* ticks
        assert.deepStrictEqual(yield* received(prices, "previous_price", "price"), [
          "110 finalized  0.5",
          "112 finalized 0.5 0.525",
        ])
        assert.deepStrictEqual(yield* received(gains, "realized_pnl", "change"), ["112 finalized 0.1 0.1"])
        assert.deepStrictEqual(yield* received(firsts, "maker"), [`110 finalized ${wallet(75)}`])
        assert.deepStrictEqual(yield* received(orders), [])
        // An order is complete when final blocks say that it was quiet for thirty seconds.
        yield* chain.finalize(last + 15)
        yield* ticks
        assert.deepStrictEqual(yield* received(orders, "fill_count"), ["112 finalized 2"])
      }),
    )

    it.effect("cost no cursor while there are none of their level", () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const chain = yield* handChain
        const levels: ReadonlyArray<ConfirmationLevel> = ["included", "finalized"]
        for (const { id } of yield* sql<{ id: WebhookId }>`select id from webhook`) yield* deleteWebhook(id)
        yield* tick("trade")
        assert.deepStrictEqual(yield* cursors, ["trade"])
        const account = yield* newAccount("enterprise")
        const some = yield* Effect.forEach(levels, (level) => newWebhook(account, ["trade"], {}, true, level))
        const block = yield* chain.mine({ 200: [fill()] })
        yield* chain.finalize(block)
        yield* tick("trade")
        assert.deepStrictEqual(yield* Effect.forEach(some, (webhook) => received(webhook)), [
          ["200 0"],
          ["200 finalized"],
        ])
        assert.deepStrictEqual(yield* cursors, ["trade", "trade:finalized", "trade:included"])
      }),
    )
  },
)
