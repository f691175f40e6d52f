import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { dataSchemas } from "#src/webhooks/payloadSchemas.ts"
import { startFollowing } from "#src/webhooks/polling/positionStatusChange/SeedStore.ts"
import { seedWallet } from "#src/webhooks/polling/positionStatusChange/seedWallet.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertHoldings, assertSeeding } from "../support/holdingsTruth.ts"
import { deliveriesOf, newAccount, newWebhook, stores, tick } from "../support/pending.ts"
import {
  allFills,
  completeOrders,
  firstTrades,
  pnlChanges,
  priceChanges,
  reportedSince,
  statusChanges,
} from "../support/statefulTruth.ts"

const confirmations = 12
const quiet = 10_000
const flags = {
  "webhooks.confirmations": String(confirmations),
  "webhooks.batch": "61",
  "webhooks.quiet": `${quiet}ms`,
}

const names = ["first_trade", "price_change", "order_complete", "pnl_change", "position_status_change"] as const

type Data = Readonly<Record<string, unknown>>

const hexOf = (token: unknown) => BigInt(String(token)).toString(16).padStart(64, "0")
const micros = (amount: unknown) => String(Math.round(Number(amount) * 1_000_000))

/** The deliveries of a webhook, as one line each; validates them against the schema. */
const reportedTo = (webhook: WebhookId, type: (typeof names)[number], line: (data: Data) => string) =>
  Effect.map(deliveriesOf(webhook), (deliveries) =>
    deliveries.map(({ envelope }) => {
      Schema.decodeUnknownSync(dataSchemas[type] as Schema.Decoder<unknown>)(envelope.data)
      return line(envelope.data)
    }),
  )

const placeOf = (data: Data) => `${String(data["transaction_hash"])}_${String(data["log_index"])}`
const gainOf = (data: Data) =>
  `${data["block_number"]} ${data["log_index"]} ${data["wallet"]} ${hexOf(data["token_id"])} ${micros(data["realized_pnl"])} ${micros(data["change"])}`
const priceOf = (data: Data) =>
  `${placeOf(data)} ${micros(data["price"])} ${data["previous_price"] === null ? "null" : micros(data["previous_price"])}`
const orderOf = (data: Data) =>
  `${String(data["order_hash"]).slice(2)} ${placeOf(data)} ${data["fill_count"]} ${micros(data["total_usd"])}`
const changeOf = (data: Data) =>
  `${data["block_number"]} ${data["log_index"]} ${data["raw_event_type"]} ${data["wallet"]} ${hexOf(data["token_id"])} ${data["from_status"]} ${data["to_status"]} ${micros(data["previous_amount"])} ${micros(data["new_amount"])}`

const isSoak = process.env.PRESAGE_SOAK === "1"
const { rounds, watchedWallets } = isSoak ? { rounds: 6, watchedWallets: 60 } : { rounds: 3, watchedWallets: 20 }

/** The venue rarely fills an order several times; here, all fills of a wallet on one side of a token are one order. */
const manyFillsAnOrder = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`create function same_order() returns trigger language plpgsql as $$ begin
    new.order_hash := sha256(convert_to(new.maker || ' ' || new.token || ' ' || new.is_sale, 'UTF8')); return new; end $$`
  yield* sql`update fill set order_hash = sha256(convert_to(maker || ' ' || token || ' ' || is_sale, 'UTF8'))`
  yield* sql`create trigger same_order before insert on fill for each row execute function same_order()`
})

const seed = 71

// In a soak the world is larger and has no shared history.
layer(stores(flags, isSoak ? undefined : followedHistory(seed)), { excludeTestServices: true })(
  "Stateful pollers",
  (it) => {
    it.effect(
      "deliver exactly what the venue's history contains, however the log is cut, through reorganisations",
      () =>
        Effect.gen(function* () {
          const dice = new Dice(83)
          const { url, simulation } = yield* runningVenue(seed, isSoak ? { scale: "tiny" } : { rate: 5 })
          simulation.settle()
          const { sql, tx } = yield* Postgres
          yield* manyFillsAnOrder
          yield* Effect.gen(function* () {
            const following = yield* startFollower
            yield* caughtUp(simulation, following)
            const account = yield* newAccount("enterprise")
            const busy = yield* sql<{ address: string }>`
          select '0x' || encode(w.address, 'hex') as address from wallet w join (
            select maker, count(*) as n from fill group by maker) f on f.maker = w.id order by n desc limit ${watchedWallets}`
            const wallets = busy.map(({ address }) => address)
            yield* Effect.forEach(names, tick)
            const since = yield* (yield* EventLog).head
            const block = simulation.head
            yield* tx(startFollowing(sql, wallets))
            const webhooks = {
              firsts: yield* newWebhook(account, ["first_trade"]),
              largeFirsts: yield* newWebhook(account, ["first_trade"], { min_amount_usd: 20 }),
              prices: yield* newWebhook(account, ["price_change"]),
              moves: yield* newWebhook(account, ["price_change"], { min_delta_pct: 2.5 }),
              orders: yield* newWebhook(account, ["order_complete"]),
              gains: yield* newWebhook(account, ["pnl_change"], { wallet_addresses: wallets }),
              largeGains: yield* newWebhook(account, ["pnl_change"], {
                wallet_addresses: wallets,
                min_pnl_change_usd: 5,
              }),
              positions: yield* newWebhook(account, ["position_status_change"], { wallet_addresses: wallets }),
              openings: yield* newWebhook(account, ["position_status_change"], {
                wallet_addresses: wallets,
                status_to: "redeemable",
              }),
            }
            // Half of the wallets are seeded later, and those that were seeded with retracted blocks again.
            yield* Effect.forEach(wallets.slice(0, watchedWallets / 2), seedWallet)
            for (let round = 0; round < rounds; round++) {
              simulation.advance(dice.between(10_000, isSoak ? 60_000 : 40_000))
              if (dice.chance(0.8)) simulation.reorg(dice.between(1, confirmations))
              yield* caughtUp(simulation, following)
              yield* Effect.forEach(
                names.filter(() => dice.chance(0.7)),
                tick,
              )
              if (round >= rounds / 2) yield* Effect.forEach(wallets, seedWallet)
            }
            simulation.settle()
            yield* caughtUp(simulation, following)
            yield* Effect.forEach(names, tick)

            const upTo = simulation.head - confirmations
            const at = simulation.model.world.clock.timestampOf(upTo) * 1000
            const fills = yield* allFills
            const isReported = yield* reportedSince(since, upTo)
            const watched = new Set(wallets)
            const same = (
              what: string,
              reported: ReadonlyArray<string>,
              truth: ReadonlyArray<string>,
              least: number,
            ) => {
              assert.deepStrictEqual(reported.toSorted(), truth.toSorted(), what)
              assert.isAtLeast(truth.length, least, what)
            }
            same(
              "first trades",
              yield* reportedTo(webhooks.firsts, "first_trade", placeOf),
              firstTrades(fills, isReported),
              1,
            )
            same(
              "large first trades",
              yield* reportedTo(webhooks.largeFirsts, "first_trade", placeOf),
              firstTrades(fills, isReported, 20_000_000n),
              0,
            )
            same(
              "prices",
              yield* reportedTo(webhooks.prices, "price_change", priceOf),
              priceChanges(fills, isReported),
              50,
            )
            same(
              "moves",
              yield* reportedTo(webhooks.moves, "price_change", priceOf),
              priceChanges(fills, isReported, 250n),
              10,
            )
            same(
              "orders",
              yield* reportedTo(webhooks.orders, "order_complete", orderOf),
              completeOrders(fills, isReported, { block: upTo, at }, quiet),
              5,
            )
            same(
              "gains",
              yield* reportedTo(webhooks.gains, "pnl_change", gainOf),
              yield* pnlChanges(watched, isReported, 1n),
              20,
            )
            same(
              "large gains",
              yield* reportedTo(webhooks.largeGains, "pnl_change", gainOf),
              yield* pnlChanges(watched, isReported, 5_000_000n),
              5,
            )
            const changes = yield* statusChanges(watched, block, upTo)
            same("positions", yield* reportedTo(webhooks.positions, "position_status_change", changeOf), changes, 20)
            same(
              "openings",
              yield* reportedTo(webhooks.openings, "position_status_change", changeOf),
              changes.filter((line) => line.split(" ")[6] === "redeemable"),
              1,
            )
            yield* assertHoldings(simulation.head)
            yield* assertSeeding(upTo, wallets)
          }).pipe(Effect.provide(nodeAt(url)))
        }),
    )
  },
)
