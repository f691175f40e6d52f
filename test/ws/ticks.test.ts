import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { tickId } from "#src/domain/Tick.ts"
import type { Subscribe } from "#src/streams/protocol/client.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { eventually } from "#test/support/eventually.ts"
import { distantFeed, makeSpeaker, tickStores } from "#test/ticks/liveSupport.ts"
import { makeTickChannel } from "#ws/ticks/TickChannel.ts"
import { makeRoom, type Recorder } from "./support/recorder.ts"
import { pricesOf } from "./ticksSupport.ts"

const source = "oracle_data_streams"
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const asking = (more: Omit<Subscribe, "action" | "type"> = {}): Subscribe => ({
  action: "subscribe",
  type: "oracle",
  ...more,
})

const makeWorld = Effect.gen(function* () {
  const speaker = yield* makeSpeaker
  yield* speaker.say({ seconds: upTo(200, 219) })
  const { feed } = yield* distantFeed
  const { recorder, publisher } = makeRoom()
  const channel = yield* Effect.provideService(makeTickChannel(publisher), TickFeed, feed)
  const said = (listener: Recorder) => pricesOf(listener).map((each) => [speaker.secondOf(each), each.window])
  /** Says something and waits until it has been handed on. */
  const say = (spoken: Parameters<typeof speaker.say>[0]) =>
    Effect.andThen(
      speaker.say(spoken),
      eventually(
        "the feed has it",
        Effect.sync(() => {
          const newest = speaker.at(Math.max(...spoken.seconds))
          return feed.memory(spoken.source ?? source, spoken.coin ?? "BTC").position === newest
        }),
      ),
    )
  return { ...speaker, say, feed, recorder, channel, said }
})

layer(tickStores, { excludeTestServices: true })("The channel of price feeds", (it) => {
  it.effect("acknowledges, replays and goes live, without gap or repeat, with exact decimals", () =>
    Effect.gen(function* () {
      const { say, at, recorder, channel, said } = yield* makeWorld
      const listener = recorder()
      yield* channel.subscribe(listener, asking({ filters: { feeds: ["btc"] }, since: at(215) }))
      const [ack, first] = listener.heard
      assert.deepStrictEqual(ack, {
        type: "subscribed",
        subscriber_id: listener.id,
        subscription_id: `${listener.id}:1`,
        subscription_type: "oracle",
        feeds: ["BTC/USD"],
        source,
        price_source: "spot",
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
      yield* say({ seconds: [220, 221] })
      assert.deepStrictEqual(
        said(listener),
        upTo(215, 221).map((second) => [second, "spot"]),
      )
    }),
  )

  it.effect("subscriptions of one socket that overlap bring each tick once; what ends leaves the others", () =>
    Effect.gen(function* () {
      const { say, at, recorder, channel, said } = yield* makeWorld
      const listener = recorder()
      yield* channel.subscribe(listener, asking({ filters: { feeds: ["BTC"] }, since: at(218) }))
      yield* channel.subscribe(listener, asking({ filters: { feeds: ["BTC", "ETH"], since: at(216) } }))
      yield* channel.subscribe(listener, asking({ filters: { feeds: ["BTC"], twap_windows: [30, 60] } }))
      yield* say({ seconds: [220] })
      assert.deepStrictEqual(said(listener), [
        [218, "spot"],
        [219, "spot"],
        [216, "spot"],
        [217, "spot"],
        [220, "spot"],
        [220, 30],
        [220, 60],
      ])
      const idOf = (n: number) => `${listener.id}:${n}`
      assert.deepStrictEqual(channel.unsubscribe(listener, { action: "unsubscribe", subscription_id: idOf(1) }), [
        idOf(1),
      ])
      assert.isEmpty(channel.unsubscribe(listener, { action: "unsubscribe", token_ids: ["1"] }))
      assert.isEmpty(channel.unsubscribe(listener, { action: "unsubscribe", type: "fills" }))
      listener.heard.length = 0
      yield* say({ seconds: [221] })
      assert.deepStrictEqual(said(listener), [
        [221, "spot"],
        [221, 30],
        [221, 60],
      ])
      assert.deepStrictEqual(channel.sourcesOf(listener), [source])
      assert.deepStrictEqual(channel.unsubscribe(listener, { action: "unsubscribe", type: "chainlink" }), [
        idOf(2),
        idOf(3),
      ])
      assert.isEmpty(channel.sourcesOf(listener))
      listener.heard.length = 0
      yield* say({ seconds: [222] })
      assert.isEmpty(listener.heard)
    }),
  )

  it.effect("an average over time is of the last seconds, and a replayed one is the live one", () =>
    Effect.gen(function* () {
      const { say, at, recorder, channel } = yield* makeWorld
      const [early, late] = [recorder(), recorder()]
      const filters = { feeds: ["BTC"], twap_windows: [30 as const] }
      yield* channel.subscribe(early, asking({ filters }))
      yield* say({ seconds: [220] })
      yield* channel.subscribe(late, asking({ filters, since: at(220) }))
      const [, live] = early.heard
      assert.deepStrictEqual(late.heard.at(-1), live)
      // Each second half a dollar more: the mean of the twenty seconds from 200 to 219.
      const { price, is_twap } = live?.["data"] as { price: number; is_twap: boolean }
      assert.strictEqual(price, (9_712_345_000_000 + 209.5 * 50_000_000) / 1e8)
      assert.isTrue(is_twap)
    }),
  )

  it.effect("who was behind gets the newest tick with the gap marked, and is live again", () =>
    Effect.gen(function* () {
      const { say, recorder, channel } = yield* makeWorld
      const [slow, quick] = [recorder(), recorder()]
      for (const each of [slow, quick]) yield* channel.subscribe(each, asking({ filters: { feeds: ["BTC", "ETH"] } }))
      slow.isBehind = true
      channel.pause(slow)
      yield* say({ seconds: [220, 221, 222] })
      yield* say({ coin: "ETH", seconds: [223] })
      assert.isEmpty(pricesOf(slow))
      slow.isBehind = false
      channel.readable(slow)
      yield* say({ seconds: [224] })
      const seen = (listener: Recorder) => pricesOf(listener).map(({ coin, gap }) => [coin, gap])
      assert.deepStrictEqual(seen(slow), [
        ["BTC", true],
        ["ETH", false],
        ["BTC", false],
      ])
      assert.lengthOf(pricesOf(quick), 5)
      assert.isTrue(pricesOf(quick).every(({ gap }) => !gap))
    }),
  )

  it.effect("an update replaces the feeds in place; a wrong one changes nothing", () =>
    Effect.gen(function* () {
      const { say, recorder, channel, said } = yield* makeWorld
      const listener = recorder()
      yield* channel.subscribe(listener, asking({ filters: { feeds: ["BTC"] } }))
      const id = `${listener.id}:1`
      const wrong = yield* Effect.flip(channel.update(listener, id, { feeds: ["ABC"] }))
      assert.strictEqual(wrong.code, "invalid_message")
      yield* say({ seconds: [220] })
      assert.deepStrictEqual(said(listener), [[220, "spot"]])
      assert.isFalse(yield* channel.update(listener, "another:1", {}))
      assert.isTrue(yield* channel.update(listener, id, { feeds: ["ETH", "BTC"], twap_windows: [60] }))
      assert.deepInclude(listener.heard.at(-1), { type: "updated", subscription_id: id, price_source: "twap60" })
      yield* say({ seconds: [221] })
      yield* say({ coin: "ETH", seconds: [221] })
      assert.deepStrictEqual(said(listener).slice(1), [
        [221, 60],
        [221, 60],
      ])
    }),
  )

  it.effect("a count, an empty replay and a resumption say what they bring", () =>
    Effect.gen(function* () {
      const { at, recorder, channel, said } = yield* makeWorld
      const counted = recorder("free")
      yield* channel.subscribe(
        counted,
        asking({ snapshot_count: 3, filters: { snapshot_count: 9, twap_windows: [30, 60] } }),
      )
      assert.deepStrictEqual(said(counted), [
        [218, 60],
        [219, 30],
        [219, 60],
      ])
      const nothing = recorder()
      yield* channel.subscribe(nothing, asking({ filters: { feeds: ["SOL"] }, snapshot_count: 5 }))
      const empty = { type: "snapshot", count: 0, events: [], subscription_id: `${nothing.id}:1` }
      assert.deepStrictEqual(nothing.heard.slice(1), [empty])
      const back = recorder()
      const ticks = { "BTC/USD": tickId(source, { coin: "BTC", at: at(217) }) }
      yield* channel.subscribe(back, asking({ filters: { feeds: ["BTC"] }, resume: { ticks } }))
      assert.deepInclude(back.heard[0], { recovered: true, source })
      assert.deepStrictEqual(said(back), [
        [218, "spot"],
        [219, "spot"],
      ])
    }),
  )

  it.effect("who names no source gets the first that says something, or the one of the ticks it has", () =>
    Effect.gen(function* () {
      const { say, at, recorder, channel } = yield* makeWorld
      const sourceFor = (more: Parameters<typeof asking>[0]) =>
        Effect.gen(function* () {
          const listener = recorder()
          yield* channel.subscribe(listener, asking(more))
          return listener.heard[0]?.["source"]
        })
      yield* say({ source: "platform_oracle", seconds: [221] })
      assert.strictEqual(yield* sourceFor({}), source)
      assert.strictEqual(yield* sourceFor({ filters: { source: "platform_oracle" } }), "platform_oracle")
      const ticks = { BTC: tickId("platform_oracle", { coin: "BTC", at: at(221) }) }
      assert.strictEqual(yield* sourceFor({ resume: { ticks } }), "platform_oracle")
      const refusal = yield* Effect.result(sourceFor({ filters: { feeds: ["ABC"] } }))
      assert.isTrue(Result.isFailure(refusal))
    }),
  )
})
