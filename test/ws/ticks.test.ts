import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { tickId } from "#src/domain/Tick.ts"
import type { Subscribe } from "#src/streams/protocol/client.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { eventually } from "#test/support/eventually.ts"
import { makeTickWriter, remoteFeed, tickStores } from "#test/ticks/liveSupport.ts"
import { makeTickChannel } from "#ws/ticks/TickChannel.ts"
import { makeRecorders, type Recorder } from "./support/recordingSubscriber.ts"
import { pricesOf } from "./support/ticks.ts"

const source = "oracle_data_streams"
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const subscribe = (more: Omit<Subscribe, "action" | "type"> = {}): Subscribe => ({
  action: "subscribe",
  type: "oracle",
  ...more,
})

const makeWorld = Effect.gen(function* () {
  const writer = yield* makeTickWriter
  yield* writer.publish({ seconds: upTo(200, 219) })
  const { feed } = yield* remoteFeed
  const { recorder, publisher } = makeRecorders()
  const channel = yield* Effect.provideService(makeTickChannel(publisher), TickFeed, feed)
  const prices = (subscriber: Recorder) => pricesOf(subscriber).map((each) => [writer.secondOf(each), each.window])
  /** Publishes ticks and waits until the feed has them. */
  const publish = (ticks: Parameters<typeof writer.publish>[0]) =>
    Effect.andThen(
      writer.publish(ticks),
      eventually(
        "the feed has it",
        Effect.sync(() => {
          const newest = writer.at(Math.max(...ticks.seconds))
          return feed.memory(ticks.source ?? source, ticks.coin ?? "BTC").position === newest
        }),
      ),
    )
  return { ...writer, publish, feed, recorder, channel, prices }
})

layer(tickStores, { excludeTestServices: true })("TickChannel", (it) => {
  it.effect(
    "a subscription is acknowledged, replayed and live, without gaps or duplicates and with exact decimals",
    () =>
      Effect.gen(function* () {
        const { publish, at, recorder, channel, prices } = yield* makeWorld
        const subscriber = recorder()
        yield* channel.subscribe(subscriber, subscribe({ filters: { feeds: ["btc"] }, since: at(215) }))
        const [ack, first] = subscriber.received
        assert.deepStrictEqual(ack, {
          type: "subscribed",
          subscriber_id: subscriber.id,
          subscription_id: `${subscriber.id}:1`,
          subscription_type: "oracle",
          feeds: ["BTC/USD"],
          source,
          price_source: "spot",
          prices: ["spot"],
          twap_windows: [],
          replay: { mode: "since", requested: at(215), granted: at(215), clamped: false },
          warnings: [],
        })
        const timestamp = at(215) / 1000
        assert.deepStrictEqual(first, {
          type: "price_feed",
          id: tickId(source, { coin: "BTC", at: at(215) }),
          feed: "BTC/USD",
          timestamp,
          timestamp_ms: at(215),
          source,
          is_twap: false,
          twap_window_seconds: null,
          data: {
            feed: "BTC/USD",
            price: 97_230.95,
            bid: 97_230.949999,
            ask: 97_230.950001,
            timestamp,
            is_twap: false,
            twap_window_seconds: null,
          },
        })
        yield* publish({ seconds: [220, 221] })
        assert.deepStrictEqual(
          prices(subscriber),
          upTo(215, 221).map((second) => [second, "spot"]),
        )
      }),
  )

  it.effect("overlapping subscriptions of a socket deliver each tick once, and ending one keeps the others", () =>
    Effect.gen(function* () {
      const { publish, at, recorder, channel, prices } = yield* makeWorld
      const subscriber = recorder()
      yield* channel.subscribe(subscriber, subscribe({ filters: { feeds: ["BTC"] }, since: at(218) }))
      yield* channel.subscribe(subscriber, subscribe({ filters: { feeds: ["BTC", "ETH"], since: at(216) } }))
      yield* channel.subscribe(subscriber, subscribe({ filters: { feeds: ["BTC"], twap_windows: [30, 60] } }))
      yield* publish({ seconds: [220] })
      assert.deepStrictEqual(prices(subscriber), [
        [218, "spot"],
        [219, "spot"],
        [216, "spot"],
        [217, "spot"],
        [220, "spot"],
        [220, 30],
        [220, 60],
      ])
      const idOf = (n: number) => `${subscriber.id}:${n}`
      assert.deepStrictEqual(channel.unsubscribe(subscriber, { action: "unsubscribe", subscription_id: idOf(1) }), [
        idOf(1),
      ])
      assert.isEmpty(channel.unsubscribe(subscriber, { action: "unsubscribe", token_ids: ["1"] }))
      assert.isEmpty(channel.unsubscribe(subscriber, { action: "unsubscribe", type: "fills" }))
      subscriber.received.length = 0
      yield* publish({ seconds: [221] })
      assert.deepStrictEqual(prices(subscriber), [
        [221, "spot"],
        [221, 30],
        [221, 60],
      ])
      assert.deepStrictEqual(channel.sourcesOf(subscriber), [source])
      assert.deepStrictEqual(channel.unsubscribe(subscriber, { action: "unsubscribe", type: "chainlink" }), [
        idOf(2),
        idOf(3),
      ])
      assert.isEmpty(channel.sourcesOf(subscriber))
      subscriber.received.length = 0
      yield* publish({ seconds: [222] })
      assert.isEmpty(subscriber.received)
    }),
  )

  it.effect("an average covers the preceding seconds, and a replayed average equals the live one", () =>
    Effect.gen(function* () {
      const { publish, at, recorder, channel } = yield* makeWorld
      const [early, late] = [recorder(), recorder()]
      const filters = { feeds: ["BTC"], twap_windows: [30 as const] }
      yield* channel.subscribe(early, subscribe({ filters }))
      yield* publish({ seconds: [220] })
      yield* channel.subscribe(late, subscribe({ filters, since: at(220) }))
      const [, live] = early.received
      assert.deepStrictEqual(late.received.at(-1), live)
      // The price rises by half a dollar per second: this is the mean of the seconds 200 to 219.
      const { price, is_twap } = live?.["data"] as { price: number; is_twap: boolean }
      assert.strictEqual(price, (9_712_345_000_000 + 209.5 * 50_000_000) / 1e8)
      assert.isTrue(is_twap)
    }),
  )

  it.effect("an average has another id than the price of its second, and either can be resumed from", () =>
    Effect.gen(function* () {
      const { publish, recorder, channel } = yield* makeWorld
      const [spot, averages] = [recorder(), recorder()]
      yield* channel.subscribe(spot, subscribe({ filters: { feeds: ["BTC"] } }))
      yield* channel.subscribe(averages, subscribe({ filters: { feeds: ["BTC"], twap_windows: [30, 60] } }))
      assert.deepInclude(averages.received[0], { price_source: "both", prices: ["twap30", "twap60"] })
      yield* publish({ seconds: [220] })
      const ids = [spot, averages].flatMap(({ received }) => received.slice(1).map(({ id }) => String(id)))
      assert.strictEqual(new Set(ids).size, 3)
      for (const id of ids) {
        const resumed = recorder()
        yield* channel.subscribe(resumed, subscribe({ filters: { feeds: ["BTC"] }, resume: { ticks: { BTC: id } } }))
        assert.deepInclude(resumed.received[0], { recovered: true, source, warnings: [] })
      }
    }),
  )

  it.effect("a subscriber that was behind gets the newest tick with a gap marker and is live again", () =>
    Effect.gen(function* () {
      const { publish, recorder, channel } = yield* makeWorld
      const [slow, quick] = [recorder(), recorder()]
      for (const each of [slow, quick])
        yield* channel.subscribe(each, subscribe({ filters: { feeds: ["BTC", "ETH"] } }))
      slow.isBehind = true
      channel.pause(slow)
      yield* publish({ seconds: [220, 221, 222] })
      yield* publish({ coin: "ETH", seconds: [223] })
      assert.isEmpty(pricesOf(slow))
      slow.isBehind = false
      channel.readable(slow)
      yield* publish({ seconds: [224] })
      const seen = (subscriber: Recorder) => pricesOf(subscriber).map(({ coin, gap }) => [coin, gap])
      assert.deepStrictEqual(seen(slow), [
        ["BTC", true],
        ["ETH", false],
        ["BTC", false],
      ])
      assert.lengthOf(pricesOf(quick), 5)
      assert.isTrue(pricesOf(quick).every(({ gap }) => !gap))
    }),
  )

  it.effect("an update replaces the feeds; an invalid update changes nothing", () =>
    Effect.gen(function* () {
      const { publish, recorder, channel, prices } = yield* makeWorld
      const subscriber = recorder()
      yield* channel.subscribe(subscriber, subscribe({ filters: { feeds: ["BTC"] } }))
      const id = `${subscriber.id}:1`
      const wrong = yield* Effect.flip(channel.update(subscriber, id, { feeds: ["ABC"] }))
      assert.strictEqual(wrong.code, "invalid_message")
      yield* publish({ seconds: [220] })
      assert.deepStrictEqual(prices(subscriber), [[220, "spot"]])
      assert.isFalse(yield* channel.update(subscriber, "another:1", {}))
      assert.isTrue(yield* channel.update(subscriber, id, { feeds: ["ETH", "BTC"], twap_windows: [60] }))
      assert.deepInclude(subscriber.received.at(-1), { type: "updated", subscription_id: id, price_source: "twap60" })
      yield* publish({ seconds: [221] })
      yield* publish({ coin: "ETH", seconds: [221] })
      assert.deepStrictEqual(prices(subscriber).slice(1), [
        [221, 60],
        [221, 60],
      ])
    }),
  )

  it.effect("acknowledgements describe a count, an empty replay and a resumption", () =>
    Effect.gen(function* () {
      const { at, recorder, channel, prices } = yield* makeWorld
      const counted = recorder("free")
      yield* channel.subscribe(
        counted,
        subscribe({ snapshot_count: 3, filters: { snapshot_count: 9, twap_windows: [30, 60] } }),
      )
      assert.deepStrictEqual(prices(counted), [
        [218, 60],
        [219, 30],
        [219, 60],
      ])
      const nothing = recorder()
      yield* channel.subscribe(nothing, subscribe({ filters: { feeds: ["SOL"] }, snapshot_count: 5 }))
      const empty = { type: "snapshot", count: 0, events: [], subscription_id: `${nothing.id}:1` }
      assert.deepStrictEqual(nothing.received.slice(1), [empty])
      const back = recorder()
      const ticks = { "BTC/USD": tickId(source, { coin: "BTC", at: at(217) }) }
      yield* channel.subscribe(back, subscribe({ filters: { feeds: ["BTC"] }, resume: { ticks } }))
      assert.deepInclude(back.received[0], { recovered: true, source })
      assert.deepStrictEqual(prices(back), [
        [218, "spot"],
        [219, "spot"],
      ])
    }),
  )

  it.effect("the platform's own averages come as they are, each saying so, and only if they are asked for", () =>
    Effect.gen(function* () {
      const { publish, recorder, channel } = yield* makeWorld
      const averages = "platform_twap60"
      yield* publish({ source: averages, seconds: [218, 219] })
      const [unasked, asked] = [recorder(), recorder()]
      yield* channel.subscribe(unasked, subscribe({ filters: { feeds: ["BTC"] }, snapshot_count: 5 }))
      assert.notInclude(JSON.stringify(unasked.received), averages)
      const filters = { feeds: ["BTC"], source: averages } as const
      yield* channel.subscribe(asked, subscribe({ filters, snapshot_count: 5 }))
      assert.deepInclude(asked.received[0], {
        source: averages,
        price_source: "twap60",
        prices: ["twap60"],
        twap_windows: [60],
      })
      const frames = asked.received.slice(1)
      assert.deepStrictEqual(
        frames.map((frame) => [frame["source"], frame["is_twap"], frame["twap_window_seconds"]]),
        [
          [averages, true, 60],
          [averages, true, 60],
        ],
      )
      for (const wrong of [{ twap_windows: [30] }, { price_source: "spot" }] as const) {
        const refusal = yield* Effect.flip(
          channel.subscribe(recorder(), subscribe({ filters: { ...filters, ...wrong } })),
        )
        assert.match(String(refusal.message), /platform_twap60 has averages over 60 seconds/)
      }
    }),
  )

  it.effect("the default source is the first fresh one, or that of the resumed ticks", () =>
    Effect.gen(function* () {
      const { publish, at, recorder, channel } = yield* makeWorld
      const sourceFor = (more: Parameters<typeof subscribe>[0]) =>
        Effect.gen(function* () {
          const subscriber = recorder()
          yield* channel.subscribe(subscriber, subscribe(more))
          return subscriber.received[0]?.["source"]
        })
      yield* publish({ source: "platform_oracle", seconds: [221] })
      assert.strictEqual(yield* sourceFor({}), source)
      assert.strictEqual(yield* sourceFor({ filters: { source: "platform_oracle" } }), "platform_oracle")
      const ticks = { BTC: tickId("platform_oracle", { coin: "BTC", at: at(221) }) }
      assert.strictEqual(yield* sourceFor({ resume: { ticks } }), "platform_oracle")
      const refusal = yield* Effect.result(sourceFor({ filters: { feeds: ["ABC"] } }))
      assert.isTrue(Result.isFailure(refusal))
    }),
  )

  it.effect("a client that followed prices and averages does not resume its prices with averages", () =>
    Effect.gen(function* () {
      const { publish, at, recorder, channel, prices } = yield* makeWorld
      yield* publish({ source: "platform_oracle", seconds: [218, 219, 220] })
      yield* publish({ source: "platform_twap60", coin: "ETH", seconds: [218, 219] })
      const ticks = {
        ETH: tickId("platform_twap60", { coin: "ETH", at: at(218) }),
        BTC: tickId("platform_oracle", { coin: "BTC", at: at(219) }),
      }
      for (const filters of [{ feeds: ["BTC"] }, { feeds: ["BTC"], price_source: "spot" }] as const) {
        const subscriber = recorder()
        yield* channel.subscribe(subscriber, subscribe({ filters, resume: { ticks } }))
        assert.deepInclude(subscriber.received[0], { source: "platform_oracle", prices: ["spot"], recovered: true })
        assert.deepStrictEqual(prices(subscriber), [[220, "spot"]])
      }
      const { ETH } = ticks
      const averagesAlone = recorder()
      yield* channel.subscribe(averagesAlone, subscribe({ filters: { feeds: ["ETH"] }, resume: { ticks: { ETH } } }))
      assert.deepInclude(averagesAlone.received[0], { source, prices: ["spot"] })
    }),
  )
})
