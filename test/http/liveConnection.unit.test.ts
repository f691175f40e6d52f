import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pauseBefore } from "#http/live/browser/connection.ts"
import { staged, type Visitor } from "./support/gateway.ts"

const epoch = "0f4c1c1e"
const ack = (type: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "subscribed",
  subscriber_id: "g1-42",
  subscription_id: `g1-42:${type}`,
  subscription_type: type,
  epoch,
  seq: 100,
  warnings: [],
  ...more,
})
const fill = (seq: number) => ({ type: "event", seq, data: {} })
const tick = (feed: string, id: string) => ({ type: "price_feed", id, feed, is_twap: false, data: { price: 1 } })

const staging = async (use: (stage: Awaited<ReturnType<typeof staged>>) => Promise<void>, options = {}) => {
  const stage = await staged(options)
  try {
    await use(stage)
  } finally {
    stage.end()
  }
}

/** Reads both subscriptions and acknowledges them; what each of them asked for. */
const welcomed = async (visitor: Visitor, more: Readonly<Record<string, unknown>> = {}) => {
  const [prices, fills] = [await visitor.says(), await visitor.says()]
  visitor.hears(ack("oracle"), ack("fills", more))
  return { prices, fills }
}

const begin = ({ connection }: Awaited<ReturnType<typeof staged>>) => {
  connection.wish("prices", { type: "oracle" })
  connection.wish("fills", { type: "fills", first: { snapshot_count: 20 } })
  connection.start()
}

const framed =
  (type: string, seq?: number) => (one: { readonly frame: { readonly type: string; readonly seq?: unknown } }) =>
    one.frame.type === type && (seq === undefined || one.frame.seq === seq)

describe("the connection of the live page", () => {
  it("goes on where it stopped", () =>
    staging(async (stage) => {
      begin(stage)
      const first = await stage.visitor(0)
      const asked = await welcomed(first)
      assert.deepStrictEqual(asked.prices, { action: "subscribe", type: "oracle" })
      assert.deepStrictEqual(asked.fills, { action: "subscribe", type: "fills", snapshot_count: 20 })
      first.hears(tick("BTC/USD", "5000-0"), fill(105), tick("BTC/USD", "6000-0"))
      await stage.until("frame", ({ frame }) => frame["id"] === "6000-0")
      first.cut()
      const again = await welcomed(await stage.visitor(1))
      const memory = { epoch, seq: 105, ticks: { "BTC/USD": "6000-0" }, subscriber_id: "g1-42" }
      assert.deepStrictEqual(again.fills, { action: "subscribe", type: "fills", resume: memory })
      assert.deepStrictEqual(again.prices, { action: "subscribe", type: "oracle", resume: memory })
      assert.isTrue((await stage.until("open", (one) => one.again)).again)
    }))

  it("does not skip what a broken replay had still to bring", () =>
    staging(async (stage) => {
      begin(stage)
      const replay = { mode: "resume", requested: 10, granted: 10, clamped: false }
      const first = await stage.visitor(0)
      await welcomed(first, { replay, seq: 200 })
      first.hears(fill(150), { type: "heartbeat", ts: 1, seq: 190, sources: {} })
      await stage.until("frame", framed("heartbeat"))
      first.cut()
      const second = await stage.visitor(1)
      const { fills } = await welcomed(second, { replay, seq: 220 })
      assert.deepInclude(fills["resume"], { seq: 150 })
      second.hears(fill(160), { type: "caught_up", subscription_id: "x", replayed: 1, seq: 220 })
      await stage.until("frame", framed("caught_up"))
      second.cut()
      assert.deepInclude((await welcomed(await stage.visitor(2))).fills["resume"], { seq: 220 })
    }))

  it("remembers nothing of another log", () =>
    staging(async (stage) => {
      begin(stage)
      const first = await stage.visitor(0)
      await welcomed(first, { seq: 900 })
      await stage.until("frame", framed("subscribed", 900))
      first.cut()
      const second = await stage.visitor(1)
      await welcomed(second, { epoch: "another", seq: 7, recovered: false })
      await stage.until("frame", framed("subscribed", 7))
      second.cut()
      assert.deepInclude((await welcomed(await stage.visitor(2))).fills["resume"], { epoch: "another", seq: 7 })
    }))

  it("knows what was refused, and asks for something else instead", () =>
    staging(async (stage) => {
      begin(stage)
      const visitor = await stage.visitor(0)
      await visitor.says()
      await visitor.says()
      visitor.hears(ack("oracle"), { type: "error", code: "firehose_limit", message: "none left" })
      assert.deepInclude(await stage.until("refused"), { wish: "fills", code: "firehose_limit", words: "none left" })
      stage.connection.wish("fills", { type: "fills", filters: { slugs: ["rain"] } })
      assert.deepStrictEqual(await visitor.says(), { action: "subscribe", type: "fills", filters: { slugs: ["rain"] } })
      visitor.hears(ack("fills"))
      await stage.until("frame", ({ frame }) => frame["subscription_type"] === "fills")
      stage.connection.wish("fills", { type: "fills", filters: { slugs: ["snow"] } })
      assert.deepStrictEqual(await visitor.says(), { action: "unsubscribe", subscription_id: "g1-42:fills" })
      assert.deepInclude(await visitor.says(), { filters: { slugs: ["snow"] } })
    }))

  it("stops for a key that is refused and says why", () =>
    staging(
      async (stage) => {
        begin(stage)
        assert.strictEqual((await stage.until("stopped")).words, "This key is not known here.")
        assert.strictEqual(stage.news.filter(({ kind }) => kind === "connecting").length, 1)
      },
      { refuse: true },
    ))

  it("tries on, more and more patiently, where the gateway is away", () =>
    staging(
      async (stage) => {
        begin(stage)
        await stage.until("connecting", ({ attempt }) => attempt === 4)
        const waits = stage.news.flatMap((one) => (one.kind === "waiting" ? [one.millis] : []))
        assert.deepStrictEqual(waits.slice(0, 3), [375, 750, 1500])
      },
      { refuse: true, final: false },
    ))

  it("comes back when the gateway says, and not at all when that is of no use", () =>
    staging(async (stage) => {
      begin(stage)
      const first = await stage.visitor(0)
      await welcomed(first)
      first.hears({ type: "closing", code: 1001, reason: "The gateway is stopping.", retry_after_ms: 4000 })
      await stage.until("frame", framed("closing"))
      first.cut()
      const waiting = await stage.until("waiting")
      assert.strictEqual(waiting.words, "The gateway is stopping.")
      assert.isAtLeast(waiting.millis, 4000)
      const second = await stage.visitor(1)
      await welcomed(second)
      second.hears({ type: "closing", code: 4003, reason: "The key was revoked." })
      await stage.until("frame", ({ frame }) => frame["code"] === 4003)
      second.cut()
      assert.strictEqual((await stage.until("stopped")).words, "The key was revoked.")
    }))

  it("leaves a connection that says nothing", () =>
    staging(async (stage) => {
      begin(stage)
      await welcomed(await stage.visitor(0))
      await stage.until("frame", framed("subscribed"))
      stage.time.now += 9_000
      stage.tick()
      assert.strictEqual(stage.news.filter(({ kind }) => kind === "waiting").length, 0)
      stage.time.now += 30_000
      stage.tick()
      assert.strictEqual((await stage.until("waiting")).words, "The connection went silent.")
      await stage.visitor(1)
    }))

  it("passes over what is no message", () =>
    staging(async (stage) => {
      begin(stage)
      const visitor = await stage.visitor(0)
      await welcomed(visitor)
      visitor.hears({ no: "type" }, { type: "pong", ts: 1 })
      await stage.until("frame", framed("pong"))
      assert.isFalse(stage.news.some((one) => one.kind === "frame" && one.frame["no"] !== undefined))
    }))
})

describe("the pause before a further attempt", () => {
  it("grows up to 15 seconds, is never the same for all, and no shorter than asked for", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(60_000),
        (attempt, random, atLeast) => {
          const most = Math.min(15_000, 500 * 2 ** (attempt - 1))
          const pause = pauseBefore(attempt, random, atLeast)
          assert.isAtLeast(pause, Math.floor(atLeast + most / 2))
          assert.isAtMost(pause, atLeast + most)
        },
      ),
    )
  })
})
