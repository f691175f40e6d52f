import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { type PollerName, pollerNames } from "#src/webhooks/contracts.ts"
import type { Filters, WebhookId } from "#src/webhooks/model.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { actsTruth, type TrueTrade } from "../support/actsTruth.ts"
import { deliveriesOf, newAccount, newWebhook, stores, tick } from "../support/pending.ts"

const micros = (dollars: unknown) => Math.round(Number(dollars) * 1_000_000)

/** Deliveries as lines that can be compared with the venue's books. */
const linesOf = (webhook: WebhookId, line: (data: Readonly<Record<string, unknown>>) => ReadonlyArray<unknown>) =>
  Effect.map(deliveriesOf(webhook), (deliveries) =>
    deliveries.map(({ envelope: { data } }) => line(data).join(" ")).toSorted(),
  )

const tradesOf = (webhook: WebhookId) =>
  linesOf(webhook, ({ transaction_hash, maker, taker, token_id, direction, amount_usd, builder }) => [
    transaction_hash,
    maker,
    taker,
    token_id,
    direction,
    micros(amount_usd),
    builder,
  ])
const expectedTrades = (trades: ReadonlyArray<TrueTrade>) =>
  trades
    .map(({ tx, maker, taker, token, direction, usd, builder }) =>
      [tx, maker, taker, token, direction, usd, builder].join(" "),
    )
    .toSorted()

/** One per maker and taker, with the builder of either. */
const wholeTrades = (trades: ReadonlyArray<TrueTrade>) => {
  const takers = new Map(trades.filter(({ isOwn }) => isOwn).map((trade) => [trade.tx, trade.builder]))
  const isNone = (builder: string) => Number(builder) === 0
  return trades
    .filter(({ isOwn }) => !isOwn)
    .map((trade) => ({ ...trade, builder: isNone(trade.builder) ? (takers.get(trade.tx) ?? "") : trade.builder }))
}

/** Lines begin with the transaction and end with the fee. */
const feesByTransaction = (lines: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const fees = new Map<string, number>()
  for (const line of lines) {
    const [tx = "", ...rest] = line.split(" ")
    const fee = Number(rest.at(-1))
    if (fee > 0) fees.set(tx, (fees.get(tx) ?? 0) + fee)
  }
  return fees
}

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Previews with filters on the catalogue count the deliveries that those filters match. */
const assertPreviews = Effect.fnUntraced(function* (trades: WebhookId) {
  const { sql } = yield* Postgres
  const events = yield* sql<{ slug: string; tags: ReadonlyArray<string> }>`select slug, tags from event`
  const delivered = (yield* deliveriesOf(trades)).map(({ envelope }) => envelope.data["event_slug"])
  const [slug] = delivered.filter((each) => each !== null)
  const [tag = ""] = events.find((each) => each.slug === slug)?.tags ?? []
  const tagged = new Set<unknown>(events.filter(({ tags }) => tags.includes(tag)).map((each) => each.slug))
  const matched = (filters: Filters) =>
    Effect.flatMap(Preview, ({ preview }) => preview({ eventTypes: ["trade"], filters })).pipe(
      Effect.map((seen) => seen.matched),
      Effect.provide(Preview.layer),
    )
  assert.strictEqual(yield* matched({ tags: [tag] }), delivered.filter((each) => tagged.has(each)).length)
  assert.strictEqual(yield* matched({ event_slugs: [String(slug)] }), delivered.filter((each) => each === slug).length)
})

const everyTick = Effect.forEach(pollerNames, (name: PollerName) => tick(name), { discard: true })

layer(stores({ "webhooks.batch": "700" }), { excludeTestServices: true })("Pollers on a venue", (it) => {
  it.effect(
    "deliver everything in the venue's books exactly once to the matching webhooks, through a reorganisation",
    () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* followedVenue(65, isSoak ? { rate: 20, scale: "tiny" } : { rate: 4 })
        const account = yield* newAccount("enterprise")
        yield* Effect.gen(function* () {
          yield* everyTick
          const busiest = busy(simulation, 12)
          const of = { wallet_addresses: busiest }
          const builders = simulation.model.builders.map(({ code }) => code).filter((_, place) => place % 2 === 0)
          const webhooks = {
            trade: yield* newWebhook(account, ["trade"]),
            own: yield* newWebhook(account, ["trade"], { ...of, side: "SELL" }),
            large: yield* newWebhook(account, ["large_trade"], { min_amount_usd: 25 }),
            builder: yield* newWebhook(account, ["builder_trade"], { builder_codes: builders }),
            split: yield* newWebhook(account, ["split"]),
            merge: yield* newWebhook(account, ["merge"]),
            redemption: yield* newWebhook(account, ["redemption"]),
            conversion: yield* newWebhook(account, ["neg_risk_conversion"]),
            fee: yield* newWebhook(account, ["fee_earned"], { min_fee_usd: 0.05 }),
            activity: yield* newWebhook(account, ["wallet_activity"], of),
          }
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          yield* everyTick
          simulation.reorg(12)
          simulation.advance(10_000)
          yield* caughtUp(simulation, following)
          yield* everyTick
          simulation.advance(20_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* everyTick

          const truth = actsTruth(simulation, firstBlock, simulation.head - 3)
          const { trades } = truth
          const own = new Set(busiest)
          const whole = wholeTrades(trades)
          assert.deepStrictEqual(yield* tradesOf(webhooks.trade), expectedTrades(whole))
          assert.deepStrictEqual(
            yield* tradesOf(webhooks.own),
            expectedTrades(trades.filter(({ maker, direction }) => own.has(maker) && direction === "SELL")),
          )
          assert.deepStrictEqual(
            yield* tradesOf(webhooks.large),
            expectedTrades(whole.filter(({ usd }) => usd >= 25_000_000)),
          )
          const fees = yield* linesOf(webhooks.trade, ({ transaction_hash, fee_usd }) => [
            transaction_hash,
            micros(fee_usd),
          ])
          const [reportedFees, chargedFees] = [feesByTransaction(fees), feesByTransaction(truth.fees)]
          assert.isAbove(chargedFees.size, 10)
          assert.deepStrictEqual(reportedFees, chargedFees, "each trade has the fees of both sides")
          yield* assertPreviews(webhooks.trade)
          const builderTrades = trades.filter(({ builder }) => builders.includes(builder))
          assert.isNotEmpty(builderTrades)
          assert.deepStrictEqual(yield* tradesOf(webhooks.builder), expectedTrades(builderTrades))
          for (const kind of [truth.splits, truth.merges, truth.redemptions, truth.conversions, truth.fees])
            assert.isNotEmpty(kind)
          const pair = (data: Readonly<Record<string, unknown>>) => [
            data["transaction_hash"],
            data["wallet"],
            data["condition_id"],
            micros(data["amount"]),
          ]
          assert.deepStrictEqual(yield* linesOf(webhooks.split, pair), truth.splits.toSorted())
          assert.deepStrictEqual(yield* linesOf(webhooks.merge, pair), truth.merges.toSorted())
          assert.deepStrictEqual(
            yield* linesOf(webhooks.redemption, ({ transaction_hash, wallet, condition_id, payout_usd }) => [
              transaction_hash,
              wallet,
              condition_id,
              micros(payout_usd),
            ]),
            truth.redemptions.toSorted(),
          )
          assert.deepStrictEqual(
            yield* linesOf(webhooks.conversion, ({ transaction_hash, wallet, market_id, amount }) => [
              transaction_hash,
              wallet,
              market_id,
              micros(amount),
            ]),
            truth.conversions.toSorted(),
          )
          assert.deepStrictEqual(
            yield* linesOf(webhooks.fee, ({ transaction_hash, receiver, token_id, order_hash, fee_usd }) => [
              transaction_hash,
              receiver,
              token_id,
              order_hash,
              micros(fee_usd),
            ]),
            truth.fees.filter((fee) => Number(fee.split(" ").at(-1)) >= 50_000).toSorted(),
          )
          const activities = yield* linesOf(webhooks.activity, ({ activity_type, transaction_hash }) => [
            activity_type,
            transaction_hash,
          ])
          const isOwn = (line: string) => own.has(line.split(" ")[1] ?? "")
          const done = (kind: string, lines: ReadonlyArray<string>) =>
            lines.filter(isOwn).map((line) => `${kind} ${line.split(" ")[0]}`)
          assert.deepStrictEqual(
            activities,
            [
              ...done(
                "trade",
                trades.map(({ tx, maker }) => `${tx} ${maker}`),
              ),
              ...done("split", truth.splits),
              ...done("merge", truth.merges),
              ...done("redemption", truth.redemptions),
              ...done("neg_risk_conversion", truth.conversions),
            ].toSorted(),
          )
        }).pipe(Effect.provide(nodeAt(url)))
      }),
  )

  it.effect("deliver markets by tag and event, once", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const log = yield* EventLog
      const account = yield* newAccount("enterprise")
      const tagged = yield* newWebhook(account, ["market_created", "market_resolved"], { tags: ["rain"] })
      const other = yield* newWebhook(account, ["market_created"], { event_slugs: ["another"] })
      const announce = (kind: string) => tx(log.append([{ kind, ref: 900_001n, data: { market: 900_001 } }]))
      yield* sql`
        insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
        values (900001, 'weather-2026', 'Weather', '["Rain","europe"]', true, false, false, false, false)`
      yield* sql`
        insert into market (id, event, tokens, slug, question, outcomes, prices, active, closed, archived, accepting_orders, neg_risk)
        values (900001, 900001, '[]', 'will-it-rain', 'Will it rain?', '["Yes","No"]', '[]', true, false, false, true, false)`
      yield* announce("market_created")
      yield* tick("market_created")
      yield* sql`update market set payouts = '[0,1000000]', resolved_at = '2026-11-01T00:00:00Z' where id = 900001`
      yield* announce("market_resolved")
      yield* announce("market_resolved")
      yield* tick("market_resolved")
      const reported = (yield* deliveriesOf(tagged)).map(({ envelope: { type, data } }) => [
        type,
        data["question"],
        data["outcome"],
        data["tags"],
      ])
      assert.deepStrictEqual(reported, [
        ["market_created", "Will it rain?", null, ["Rain", "europe"]],
        ["market_resolved", "Will it rain?", "No", "{Rain,europe}"],
      ])
      assert.deepStrictEqual(yield* deliveriesOf(other), [])
    }),
  )
})

/** The most active wallets. */
const busy = ({ model }: Simulation, count: number): ReadonlyArray<string> => {
  const { facts } = model.world
  const trades = new Map<number, number>()
  for (let fill = 0; fill < facts.fills; fill++)
    trades.set(facts.maker.get(fill), (trades.get(facts.maker.get(fill)) ?? 0) + 1)
  return [...trades]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([wallet]) => model.wallets[wallet]?.address ?? "")
}
