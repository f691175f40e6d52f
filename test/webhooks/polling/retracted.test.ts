import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { shares, usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Filters, WebhookEventType, WebhookId } from "#src/webhooks/model.ts"
import { startFollowing } from "#src/webhooks/polling/positionStatusChange/SeedStore.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { fill, type Happening, handChain, hex, market, wallet } from "../support/handChain.ts"
import {
  deleteWebhook,
  deliveriesOf,
  newAccount,
  newWebhook,
  stores,
  tick,
  transactionsOf,
} from "../support/pending.ts"

const token = hex(Number(market.token))
const resolution: Happening = (place) => ({
  kind: "resolution",
  sub: 0,
  condition: market.condition.slice(2),
  payouts: [1, 0],
  ...place,
})
const redemption =
  (of: number, count: number): Happening =>
  (place) => ({
    kind: "redemption",
    wallet: hex(of, 40),
    condition: market.condition.slice(2),
    redeemed: [{ token, shares: shares(count) }],
    payout: usdc(count),
    ...place,
  })
const transfer =
  (from: number, to: number, count: number): Happening =>
  (place) => ({
    kind: "transfer",
    sub: 0,
    sender: hex(from, 40),
    receiver: hex(to, 40),
    token,
    shares: shares(count),
    ...place,
  })

const reported = (webhook: WebhookId, ...fields: ReadonlyArray<string>) =>
  Effect.map(deliveriesOf(webhook), (rows) =>
    rows.map(({ envelope: { data } }) =>
      [Number(data["transaction_hash"]), ...fields.map((field) => data[field])].join(" "),
    ),
  )

/** How many canonical events a webhook would have had from the beginning. */
const foreseen = (type: WebhookEventType, filters: Filters) =>
  Effect.flatMap(Preview, ({ preview }) => preview({ eventTypes: [type], filters })).pipe(
    Effect.map(({ matched }) => matched),
    Effect.provide(Preview.layer),
  )

layer(stores({ "webhooks.batch": "3" }), { excludeTestServices: true })("Poller state after a reorganisation", (it) => {
  it.effect("of first trades is read again, and each is delivered once", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      yield* tick("first_trade")
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["first_trade"])
      const base = yield* chain.mine({ 100: [fill({ maker: 71 })] })
      yield* chain.mine({ 101: [fill({ maker: 72 }), fill({ maker: 73, taker: null })] })
      yield* chain.mine({ 102: [fill({ maker: 72 }), fill({ maker: 71 })] })
      yield* chain.wait(3)
      yield* tick("first_trade")
      assert.deepStrictEqual(yield* transactionsOf(webhook), [100, 101, 101])
      yield* chain.fork(base)
      yield* chain.mine({ 103: [fill({ maker: 72 })] })
      yield* chain.mine({ 101: [fill({ maker: 72 }), fill({ maker: 73, taker: null })], 104: [fill({ maker: 73 })] })
      yield* chain.wait(3)
      yield* tick("first_trade")
      assert.deepStrictEqual(yield* transactionsOf(webhook), [100, 101, 101, 103])
      assert.strictEqual(yield* foreseen("first_trade", {}), 3)
    }),
  )

  it.effect("of prices and gains is what was delivered, even if it was retracted and recurs", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      yield* tick("price_change")
      yield* tick("pnl_change")
      const account = yield* newAccount("enterprise")
      const prices = yield* newWebhook(account, ["price_change"], { token_ids: [market.token], min_delta_pct: 10 })
      const gains = yield* newWebhook(account, ["pnl_change"], {
        wallet_addresses: [wallet(75)],
        min_pnl_change_usd: 1,
      })
      const at = (usd: number, side: "buy" | "sell" = "buy") =>
        fill({ maker: 75, shares: shares(4_000_000), usd: usdc(usd), side })
      const base = yield* chain.mine({ 110: [at(2_000_000), at(2_000_000)] })
      yield* chain.mine({ 111: [at(2_100_000, "sell")] })
      yield* chain.mine({ 112: [at(3_100_000, "sell")] })
      yield* chain.wait(3)
      for (const name of ["price_change", "pnl_change"] as const) yield* tick(name)
      assert.deepStrictEqual(yield* reported(prices, "previous_price", "price"), ["112 0.5 0.775"])
      assert.deepStrictEqual(yield* reported(gains, "realized_pnl", "change", "reason"), ["112 1.2 1.2 sale"])
      yield* chain.fork(base)
      yield* chain.mine()
      yield* chain.mine({ 111: [at(2_100_000, "sell")], 112: [at(3_100_000, "sell")] })
      yield* chain.wait(3)
      for (const name of ["price_change", "pnl_change"] as const) yield* tick(name)
      // 112 is not delivered again, so the last price is 0.525.
      const reportedPrices = ["112 0.5 0.775", "111 0.775 0.525"]
      assert.deepStrictEqual(yield* reported(prices, "previous_price", "price"), reportedPrices)
      const reportedGains = ["112 1.2 1.2 sale", "111 0.1 -1.1 sale"]
      assert.deepStrictEqual(yield* reported(gains, "realized_pnl", "change", "reason"), reportedGains)
      yield* chain.mine({ 113: [at(3_100_000, "buy")], 114: [at(3_000_000, "sell")] })
      yield* chain.wait(3)
      for (const name of ["price_change", "pnl_change"] as const) yield* tick(name)
      assert.deepStrictEqual(yield* reported(prices, "previous_price", "price"), [...reportedPrices, "113 0.525 0.775"])
      assert.deepStrictEqual(yield* reported(gains, "realized_pnl", "change", "reason"), [
        ...reportedGains,
        "114 1.1 1 sale",
      ])
      assert.strictEqual(yield* foreseen("price_change", { token_ids: [market.token], min_delta_pct: 10 }), 1)
      assert.strictEqual(yield* foreseen("pnl_change", { wallet_addresses: [wallet(75)], min_pnl_change_usd: 1 }), 1)
    }),
  )

  it.effect("of orders returns to the fill before the retracted one", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      yield* tick("order_complete")
      const webhook = yield* newWebhook(yield* newAccount("enterprise"), ["order_complete"], { min_total_usd: 6 })
      const [own, other] = [{ orderHash: hex(0x0e01) }, { orderHash: hex(0x0e02) }]
      yield* chain.mine({ 120: [fill(own), fill(other)] })
      const base = yield* chain.mine({ 121: [fill(own)], 122: [fill({ orderHash: hex(0x0e03) })] })
      yield* chain.mine({ 123: [fill(own), fill(other), fill({ orderHash: hex(0x0e04) })] })
      yield* chain.mine({ 124: [fill(own)] })
      yield* chain.wait(3)
      yield* tick("order_complete")
      yield* chain.fork(base)
      yield* chain.mine({ 124: [fill(own)] })
      yield* chain.wait(17)
      yield* tick("order_complete")
      assert.deepStrictEqual(yield* reported(webhook, "order_hash", "fill_count", "total_usd"), [])
      yield* chain.wait(1)
      yield* tick("order_complete")
      assert.deepStrictEqual(yield* reported(webhook, "fill_count", "total_usd"), ["124 3 6"])
      // The order continues after all.
      yield* chain.mine({ 125: [fill(own)] })
      yield* chain.wait(18)
      yield* tick("order_complete")
      yield* tick("order_complete")
      assert.deepStrictEqual(yield* reported(webhook, "fill_count", "total_usd"), ["124 3 6", "125 4 8"])
      const { sql } = yield* Postgres
      assert.deepStrictEqual(yield* sql`select 1 from webhook_open_order`, [])
      assert.strictEqual(yield* foreseen("order_complete", { wallet_addresses: [wallet(1)], min_total_usd: 6 }), 2)
    }),
  )

  it.effect("of positions is restored, even if they were seeded with retracted blocks", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const { sql, tx } = yield* Postgres
      yield* tick("position_status_change")
      const account = yield* newAccount("enterprise")
      yield* chain.mine({ 128: [fill()] })
      const first = yield* chain.mine({ 129: [fill({ maker: 83 })] })
      yield* chain.mine({ 130: [fill({ maker: 82 }), fill({ maker: 83, side: "sell", shares: shares(1_000_000) })] })
      yield* tx(startFollowing(sql, [81, 82, 83].map(wallet)))
      const webhook = yield* newWebhook(account, ["position_status_change"], {
        wallet_addresses: [81, 82, 83].map(wallet),
      })
      yield* chain.mine({ 131: [fill({ maker: 81 })] })
      yield* chain.wait(3)
      yield* tick("position_status_change")
      const lines = reported(webhook, "wallet", "from_status", "to_status", "previous_amount", "new_amount", "source")
      const opened = `131 ${wallet(81)} none open 0 4 erc1155_transfer`
      assert.deepStrictEqual(yield* lines, [opened])

      yield* chain.fork(first)
      yield* chain.mine({ 132: [fill({ maker: 82, shares: shares(2_000_000) })] })
      const open = yield* chain.mine({ 133: [fill({ maker: 81 }), transfer(83, 81, 4_000_000)] })
      yield* chain.wait(3)
      yield* tick("position_status_change")
      const again = [
        `132 ${wallet(82)} none open 0 2 erc1155_transfer`,
        `133 ${wallet(81)} none open 0 4 erc1155_transfer`,
        `133 ${wallet(83)} open closed 4 0 erc1155_transfer`,
      ]
      assert.deepStrictEqual(yield* lines, [opened, ...again])

      yield* chain.mine({ 134: [resolution] })
      yield* chain.mine({ 135: [redemption(81, 8_000_000)], 136: [transfer(82, 83, 2_000_000)] })
      yield* chain.wait(3)
      yield* tick("position_status_change")
      const ended = [
        `134 ${wallet(81)} open redeemable 8 8 resolution`,
        `134 ${wallet(82)} open redeemable 2 2 resolution`,
        `135 ${wallet(81)} redeemable redeemed 8 0 redemption`,
        `136 ${wallet(82)} redeemable closed 2 0 erc1155_transfer`,
        `136 ${wallet(83)} closed redeemable 0 2 erc1155_transfer`,
      ]
      assert.sameMembers(yield* lines, [opened, ...again, ...ended])

      // The resolution is undone: redeemable positions are open again, and that is not delivered.
      yield* chain.fork(open)
      yield* chain.mine({ 137: [transfer(82, 83, 2_000_000)] })
      yield* chain.wait(3)
      yield* tick("position_status_change")
      assert.strictEqual((yield* lines).at(-2), `137 ${wallet(82)} open closed 2 0 erc1155_transfer`)
      assert.strictEqual((yield* lines).at(-1), `137 ${wallet(83)} closed open 0 2 erc1155_transfer`)
      assert.strictEqual((yield* lines).length, 11)
      assert.strictEqual(yield* foreseen("position_status_change", { wallet_addresses: [81, 82, 83].map(wallet) }), 6)

      yield* deleteWebhook(webhook)
      yield* newWebhook(account, ["position_status_change"], { wallet_addresses: [wallet(82)] })
      yield* chain.wait(9)
      yield* tick("position_status_change")
      assert.strictEqual((yield* sql`select 1 from webhook_watched_wallet`).length, 1)
      assert.strictEqual((yield* sql`select distinct wallet from webhook_position`).length, 1)
    }),
  )
})
