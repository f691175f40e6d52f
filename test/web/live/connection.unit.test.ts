import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { retryDelay } from "#web/shared/stream/connection.ts"
import { type FakeSession, makeFakeGateway } from "./fakeGateway.ts"

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

const withGateway = async (
  use: (gateway: Awaited<ReturnType<typeof makeFakeGateway>>) => Promise<void>,
  options = {},
) => {
  const gateway = await makeFakeGateway(options)
  try {
    await use(gateway)
  } finally {
    gateway.end()
  }
}

/** Acknowledges both subscriptions and returns them. */
const acknowledge = async (session: FakeSession, more: Readonly<Record<string, unknown>> = {}) => {
  const [prices, fills] = [await session.next(), await session.next()]
  session.send(ack("oracle"), ack("fills", more))
  return { prices, fills }
}

const begin = ({ connection }: Awaited<ReturnType<typeof makeFakeGateway>>) => {
  connection.subscribe("prices", { type: "oracle" })
  connection.subscribe("fills", { type: "fills", first: { snapshot_count: 20 } })
  connection.start()
}

const isFrame =
  (type: string, seq?: number) => (one: { readonly frame: { readonly type: string; readonly seq?: unknown } }) =>
    one.frame.type === type && (seq === undefined || one.frame.seq === seq)

describe("Connection of the live page", () => {
  it("resumes where it stopped", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const first = await gateway.session(0)
      const requests = await acknowledge(first)
      assert.deepStrictEqual(requests.prices, { action: "subscribe", type: "oracle" })
      assert.deepStrictEqual(requests.fills, { action: "subscribe", type: "fills", snapshot_count: 20 })
      first.send(tick("BTC/USD", "5000-0"), fill(105), tick("BTC/USD", "6000-0"))
      await gateway.until("frame", ({ frame }) => frame["id"] === "6000-0")
      first.cut()
      const again = await acknowledge(await gateway.session(1))
      const memory = { epoch, seq: 105, ticks: { "BTC/USD": "6000-0" }, subscriber_id: "g1-42" }
      assert.deepStrictEqual(again.fills, { action: "subscribe", type: "fills", resume: memory })
      assert.deepStrictEqual(again.prices, { action: "subscribe", type: "oracle", resume: memory })
      assert.isTrue((await gateway.until("open", (one) => one.again)).again)
    }))

  it("does not skip the rest of an interrupted replay", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const replay = { mode: "resume", requested: 10, granted: 10, clamped: false }
      const first = await gateway.session(0)
      await acknowledge(first, { replay, seq: 200 })
      first.send(fill(150), { type: "heartbeat", ts: 1, seq: 190, sources: {} })
      await gateway.until("frame", isFrame("heartbeat"))
      first.cut()
      const second = await gateway.session(1)
      const { fills } = await acknowledge(second, { replay, seq: 220 })
      assert.deepInclude(fills["resume"], { seq: 150 })
      second.send(fill(160), { type: "caught_up", subscription_id: "x", replayed: 1, seq: 220 })
      await gateway.until("frame", isFrame("caught_up"))
      second.cut()
      assert.deepInclude((await acknowledge(await gateway.session(2))).fills["resume"], { seq: 220 })
    }))

  it("discards its position when the log was recreated", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const first = await gateway.session(0)
      await acknowledge(first, { seq: 900 })
      await gateway.until("frame", isFrame("subscribed", 900))
      first.cut()
      const second = await gateway.session(1)
      await acknowledge(second, { epoch: "another", seq: 7, recovered: false })
      await gateway.until("frame", isFrame("subscribed", 7))
      second.cut()
      assert.deepInclude((await acknowledge(await gateway.session(2))).fills["resume"], { epoch: "another", seq: 7 })
    }))

  it("reports a refused subscription and can replace it", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const session = await gateway.session(0)
      await session.next()
      await session.next()
      session.send(ack("oracle"), { type: "error", code: "firehose_limit", message: "none left" })
      assert.deepInclude(await gateway.until("refused"), { name: "fills", code: "firehose_limit", text: "none left" })
      gateway.connection.subscribe("fills", { type: "fills", filters: { slugs: ["rain"] } })
      assert.deepStrictEqual(await session.next(), { action: "subscribe", type: "fills", filters: { slugs: ["rain"] } })
      session.send(ack("fills"))
      await gateway.until("frame", ({ frame }) => frame["subscription_type"] === "fills")
      gateway.connection.subscribe("fills", { type: "fills", filters: { slugs: ["snow"] } })
      assert.deepStrictEqual(await session.next(), { action: "unsubscribe", subscription_id: "g1-42:fills" })
      assert.deepInclude(await session.next(), { filters: { slugs: ["snow"] } })
    }))

  it("ends a subscription that was replaced before its answer, and reports only the last one", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const session = await gateway.session(0)
      await acknowledge(session)
      await gateway.until("frame", ({ frame }) => frame["subscription_type"] === "fills")
      const follow = (filters: Readonly<Record<string, unknown>>) =>
        gateway.connection.subscribe("fills", { type: "fills", filters })
      follow({ side: "BUY" })
      follow({ side: "BUY", min_usd: 4 })
      follow({ side: "BUY", min_usd: 5 })
      assert.deepStrictEqual(await session.next(), { action: "unsubscribe", subscription_id: "g1-42:fills" })
      assert.deepInclude(await session.next(), { filters: { side: "BUY" } })
      session.send(ack("fills", { subscription_id: "g1-42:buys", seq: 101 }))
      assert.deepStrictEqual(await session.next(), { action: "unsubscribe", subscription_id: "g1-42:buys" })
      assert.deepInclude(await session.next(), { filters: { side: "BUY", min_usd: 5 } })
      session.send(ack("fills", { subscription_id: "g1-42:last", seq: 102 }))
      const isOfFills = isFrame("subscribed")
      const subscribed = await gateway.until(
        "frame",
        (one) => isOfFills(one) && one.frame["subscription_type"] === "fills" && one.frame["seq"] !== 100,
      )
      assert.strictEqual(subscribed.frame["subscription_id"], "g1-42:last")
    }))

  it("replaces a subscription that was refused after it was replaced, and does not report it", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const session = await gateway.session(0)
      await session.next()
      await session.next()
      gateway.connection.subscribe("fills", { type: "fills", filters: { slugs: ["rain"] } })
      session.send(ack("oracle"), { type: "error", code: "firehose_limit", message: "none left" })
      assert.deepStrictEqual(await session.next(), { action: "subscribe", type: "fills", filters: { slugs: ["rain"] } })
      session.send({ type: "error", code: "unknown_slug", message: "no rain" })
      assert.deepInclude(await gateway.until("refused"), { name: "fills", code: "unknown_slug" })
    }))

  it("stops with the reason when the key is refused", () =>
    withGateway(
      async (gateway) => {
        begin(gateway)
        assert.strictEqual((await gateway.until("stopped")).text, "This key is not known here.")
        assert.strictEqual(gateway.events.filter(({ kind }) => kind === "connecting").length, 1)
      },
      { refuse: true },
    ))

  it("retries with growing delays while the gateway is unavailable", () =>
    withGateway(
      async (gateway) => {
        begin(gateway)
        await gateway.until("connecting", ({ attempt }) => attempt === 4)
        const waits = gateway.events.flatMap((one) => (one.kind === "waiting" ? [one.millis] : []))
        assert.deepStrictEqual(waits.slice(0, 3), [375, 750, 1500])
      },
      { refuse: true, final: false },
    ))

  it("reconnects after retry_after_ms, and not at all after a final close code", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const first = await gateway.session(0)
      await acknowledge(first)
      first.send({ type: "closing", code: 1001, reason: "The gateway is shutting down.", retry_after_ms: 4000 })
      await gateway.until("frame", isFrame("closing"))
      first.cut()
      const waiting = await gateway.until("waiting")
      assert.strictEqual(waiting.text, "The gateway is shutting down.")
      assert.isAtLeast(waiting.millis, 4000)
      const second = await gateway.session(1)
      await acknowledge(second)
      second.send({ type: "closing", code: 4003, reason: "The key was revoked." })
      await gateway.until("frame", ({ frame }) => frame["code"] === 4003)
      second.cut()
      assert.strictEqual((await gateway.until("stopped")).text, "The key was revoked.")
    }))

  it("drops a silent connection", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      await acknowledge(await gateway.session(0))
      await gateway.until("frame", isFrame("subscribed"))
      gateway.time.now += 9_000
      gateway.tick()
      assert.strictEqual(gateway.events.filter(({ kind }) => kind === "waiting").length, 0)
      gateway.time.now += 30_000
      gateway.tick()
      assert.strictEqual((await gateway.until("waiting")).text, "The connection went silent.")
      await gateway.session(1)
    }))

  it("ignores invalid messages", () =>
    withGateway(async (gateway) => {
      begin(gateway)
      const session = await gateway.session(0)
      await acknowledge(session)
      session.send({ no: "type" }, { type: "pong", ts: 1 })
      await gateway.until("frame", isFrame("pong"))
      assert.isFalse(gateway.events.some((one) => one.kind === "frame" && one.frame["no"] !== undefined))
    }))
})

describe("retryDelay", () => {
  it("grows up to 15 seconds with jitter and respects the minimum", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(60_000),
        (attempt, random, atLeast) => {
          const most = Math.min(15_000, 500 * 2 ** (attempt - 1))
          const pause = retryDelay(attempt, random, atLeast)
          assert.isAtLeast(pause, Math.floor(atLeast + most / 2))
          assert.isAtMost(pause, atLeast + most)
        },
      ),
    )
  })
})
