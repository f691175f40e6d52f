import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { frozenVenue, send, type Venue } from "./frozenVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue("tiny")
  venue.sim.settle()
})
afterAll(() => venue.stop())

describe("controlService", () => {
  it("rejects invalid faults and schedules with an explanation", async () => {
    const fault = { upstream: "gamma", channel: "http", kind: "slow" }
    for (const [body, message] of [
      [{}, "upstream: must be one of *, gamma"],
      [{ ...fault, upstream: "nobody" }, "upstream: must be one of"],
      [{ ...fault, channel: "pigeon" }, "channel: must be one of http, socket"],
      [{ ...fault, channel: "socket" }, "channel: gamma has no socket"],
      [{ ...fault, kind: "silent" }, "kind: must be one of down"],
      [{ ...fault, kind: ["slow"] }, "kind: must be one of down"],
      [{ ...fault, share: 0 }, "share: must be a number above 0"],
      [{ ...fault, share: 1.5 }, "share: must be a number above 0"],
      [{ ...fault, delay_ms: -1 }, "delay_ms: must be an integer from 0"],
      [{ ...fault, delay_ms: 0.5 }, "delay_ms: must be an integer"],
      [{ ...fault, skew_ms: 5 }, "skew_ms: unknown field"],
      [{ ...fault, until: 5 }, "until: must be after"],
      [{ ...fault, from: "now" }, "from: must be an integer"],
      [{ ...fault, path: "events" }, "path: must start"],
      [{ ...fault, path: "/x".repeat(300) }, "path: must be a string of at most"],
      ["[", "the body must be a JSON object"],
      ["null", "the body must be a JSON object"],
    ] as const) {
      const answer = await venue.control("POST", "/faults", body)
      assert.strictEqual(answer.status, 400, JSON.stringify(body))
      assert.include(answer.body.error, message)
    }
    for (const [body, message] of [
      [{ seed: 1 }, "rate_per_hour: must be an integer"],
      [{ seed: -1, rate_per_hour: 1 }, "seed: must be an integer"],
      [{ seed: 1, rate_per_hour: 1, kinds: "slow" }, "kinds: must be a non-empty list"],
      [{ seed: 1, rate_per_hour: 1, kinds: ["slow"], upstreams: ["y"] }, "upstreams: must be a non-empty list"],
      [{ seed: 1, rate_per_hour: 1, kinds: ["silent"], upstreams: ["gamma"] }, "none of them applies"],
      [{ seed: 1, rate_per_hour: 1, reorgs: "yes" }, "reorgs: must be true or false"],
    ] as const) {
      const answer = await venue.control("POST", "/faults/schedule", body)
      assert.strictEqual(answer.status, 400, JSON.stringify(body))
      assert.include(answer.body.error, message)
    }
    assert.deepStrictEqual((await venue.control("GET", "/faults")).body, {
      now: venue.sim.now(),
      faults: [],
      schedule: null,
      engines: {},
    })
  })

  it("answers unusual paths and numbers without failing", async () => {
    for (const [method, path, status] of [
      ["GET", "/truth/wallets/0x00", 404],
      ["GET", "/truth/wallets/%00", 404],
      ["GET", "/truth/wallets/%ff", 400],
      ["GET", "/truth/wallets/", 404],
      ["GET", "/truth/wallets?limit=10001", 400],
      ["GET", "/truth/wallets?limit=-1", 400],
      ["GET", "/truth/wallets?offset=1e300", 200],
      ["GET", "/truth/wallets?positions=perhaps", 400],
      ["GET", "/truth/conditions/__proto__", 404],
      ["GET", "/truth/markets/constructor", 404],
      ["GET", `/truth/tokens/${"9".repeat(200)}`, 404],
      ["GET", "/truth/tokens/NaN", 404],
      ["GET", "/truth/ticks", 404],
      ["GET", "/truth/ticks?feed=btc&from=0", 400],
      ["GET", "/truth/ticks?feed=btc&from=9e15", 200],
      ["GET", "/truth/ticks?feed=btc&source=tea", 400],
      ["GET", "/truth/counts?from_block=x", 400],
      ["GET", "/truth/counts?from_block=1e300", 200],
      ["GET", "/truth/counts?to_block=0", 200],
      ["DELETE", "/faults/f99", 404],
      ["PUT", "/faults", 405],
      ["POST", "/state", 405],
      ["GET", "/nowhere", 404],
    ] as const) {
      assert.strictEqual((await venue.control(method, path)).status, status, path)
    }
  })

  it("rejects [] and unknown fields instead of ignoring them", async () => {
    const { head, rate } = venue.sim
    for (const [path, body, message] of [
      ["/clock", [], "the body must be a JSON object"],
      ["/clock", { foo: 1 }, "foo: unknown field; expected frozen, settle, advance_ms"],
      ["/clock", { frozen: false, advance: 5 }, "advance: unknown field"],
      ["/rate", { rate: 7, per: "second" }, "per: unknown field; expected rate"],
      ["/reorg", { depth: 3, deep: true }, "deep: unknown field; expected depth"],
      ["/faults", [], "the body must be a JSON object"],
    ] as const) {
      const answer = await venue.control("POST", path, body)
      assert.strictEqual(answer.status, 400, path)
      assert.include(answer.body.error, message)
    }
    assert.deepStrictEqual([venue.sim.frozen, venue.sim.head, venue.sim.rate], [true, head, rate])
  })

  it("lists the allowed methods and the available controls", async () => {
    const wrong = await send(venue.port, "/_sim/clock", { method: "GET" })
    assert.deepStrictEqual([wrong.status, wrong.headers["allow"]], [405, "POST"])
    assert.include(JSON.parse(wrong.body).error, "POST")
    const several = await send(venue.port, "/_sim/faults", { method: "PATCH" })
    assert.deepStrictEqual([several.status, several.headers["allow"]], [405, "GET, POST, DELETE"])
    const { status, body } = await venue.control("POST", "/clocks")
    assert.strictEqual(status, 404)
    for (const control of ["POST /clock", "GET /state", "DELETE /faults/*", "GET /truth/wallets/*"]) {
      assert.include(body.error, control)
    }
  })

  it("settle stops the world until the clock moves again", async () => {
    const { sim } = venue
    sim.setRate(100)
    sim.advance(60_000)
    const state = async (body: object) => (await venue.control("POST", "/clock", body)).body
    const settled = await state({ settle: true })
    assert.deepInclude(settled, { pending: 0, settled: true, frozen: true })
    sim.tick()
    assert.deepStrictEqual(await state({}), settled)
    assert.deepStrictEqual(await state({ frozen: true }), settled)
    assert.isAbove((await state({ advance_ms: 10_000 })).transactions, settled.transactions)
    assert.deepInclude(await state({ settle: true }), { pending: 0, settled: true })
    sim.reorg(30)
    assert.isTrue((await state({ settle: true })).settled)
  })

  it("changes nothing if any part of a request is invalid", async () => {
    const { head } = venue.sim
    const answer = await venue.control("POST", "/clock", { frozen: false, advance_ms: "soon" })
    assert.deepStrictEqual([answer.status, venue.sim.frozen, venue.sim.head], [400, true, head])
  })

  it("serves an overview page that reads /_sim/glance", async () => {
    const page = await venue.get("/")
    assert.deepStrictEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"])
    assert.include(page.body, "/_sim/glance")
    assert.notMatch(page.body, /(src|href)="?https?:/)
    venue.sim.advance(120_000)
    await venue.control("POST", "/faults", { upstream: "x", channel: "http", kind: "down" })
    const { body } = await venue.control("GET", "/glance")
    assert.lengthOf(body.coins, 7)
    assert.strictEqual(body.blocks[0].number, venue.sim.head)
    assert.isNotEmpty(body.busiest)
    assert.deepStrictEqual(
      body.faults.map(({ kind }: { kind: string }) => kind),
      ["down"],
    )
    await venue.control("DELETE", "/faults")
    assert.strictEqual((await venue.get("/nothing")).status, 404)
  })
})
