import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasChannel, upstreamNames } from "#src/simulator/faults/Fault.ts"
import { type Answer, frozenVenue, type Venue } from "./faultsVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue()
})
afterAll(() => venue.stop())

const tags = "/gamma/tags?limit=5"

const assertWell = ({ status, headers, body, broken }: Answer) => {
  assert.deepStrictEqual([status, headers["content-type"], broken], [200, "application/json", undefined])
  assert.lengthOf(JSON.parse(body), 5)
}

/** What one request meets while the fault is on; before and after, all is well. */
const meets = async (fault: object, path = tags) => {
  const before = await venue.get(path)
  let met: Answer | undefined
  await venue.during({ upstream: path.split("/")[1], channel: "http", ...fault }, async () => {
    met = await venue.get(path)
  })
  const after = await venue.get(path)
  assert.deepStrictEqual([after.status, after.body], [before.status, before.body])
  return { before, met: met as Answer }
}

const types = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, types(each)]))
    : value === null
      ? "null"
      : typeof value

describe("Faults of requests", () => {
  it("down: the connection breaks without an answer", async () => {
    const { before, met } = await meets({ kind: "down" })
    assertWell(before)
    assert.strictEqual(met.status, 0)
    assert.strictEqual(met.broken, "socket hang up")
  })

  it("rate_limited: 429 with Retry-After, in the upstream's own words", async () => {
    const { met } = await meets({ kind: "rate_limited", retry_after_s: 17 })
    assert.deepStrictEqual([met.status, met.headers["retry-after"]], [429, "17"])
    assert.deepStrictEqual(JSON.parse(met.body), { type: "rate limit error", error: "Too Many Requests" })
    const site = await meets({ kind: "rate_limited" }, "/site/api/crypto/crypto-price")
    assert.deepStrictEqual([site.met.status, site.met.headers["retry-after"]], [429, "5"])
    assert.deepStrictEqual(JSON.parse(site.met.body), { error: "Too Many Requests" })
    const rpc = await meets({ kind: "rate_limited" }, "/rpc/")
    assert.deepStrictEqual(JSON.parse(rpc.met.body).error, { code: -32005, message: "Too Many Requests" })
    const x = await meets({ kind: "rate_limited", retry_after_s: 60 }, "/x/2/tweets/search/recent")
    assert.strictEqual(x.met.headers["x-rate-limit-reset"], String(Math.ceil(venue.sim.now() / 1000) + 60))
    assert.strictEqual(JSON.parse(x.met.body).title, "Too Many Requests")
  })

  it("server_error: 500, or the status asked for", async () => {
    const { met } = await meets({ kind: "server_error" })
    assert.strictEqual(met.status, 500)
    assert.strictEqual(JSON.parse(met.body).error, "Internal Server Error")
    assert.strictEqual((await meets({ kind: "server_error", status: 503 })).met.status, 503)
  })

  it("slow: the answer comes late, and is the same", async () => {
    const start = performance.now()
    const { before, met } = await meets({ kind: "slow", delay_ms: 300 })
    assert.isAtLeast(performance.now() - start, 300)
    assert.strictEqual(met.body, before.body)
  })

  it("truncated: a whole answer that a JSON decoder must refuse", async () => {
    const lengths = new Set<number>()
    for (const path of [tags, "/clob/time", "/gamma/sports", "/data/trades"]) {
      const { before, met } = await meets({ kind: "truncated" }, path)
      assert.deepStrictEqual([met.status, met.broken], [200, undefined], path)
      assert.strictEqual(met.headers["content-type"], "application/json")
      assert.strictEqual(met.headers["content-length"], String(Buffer.byteLength(met.body)))
      assert.isTrue(before.body.startsWith(met.body) && met.body.length < before.body.length)
      assert.throws(() => JSON.parse(met.body), SyntaxError)
      lengths.add(met.body.length)
    }
    assert.isAbove(Math.max(...lengths), 0)
  })

  it("broken: the body ends before its announced length", async () => {
    const { before, met } = await meets({ kind: "broken" })
    assert.deepStrictEqual([met.status, met.broken], [200, "aborted"])
    assert.strictEqual(met.headers["content-length"], String(Buffer.byteLength(before.body)))
    assert.isBelow(met.body.length, before.body.length)
    assert.isTrue(before.body.startsWith(met.body))
  })

  it("html: a page for people, as a success or as a failure", async () => {
    for (const [asked, status] of [
      [{}, 200],
      [{ status: 502 }, 502],
    ] as const) {
      const { met } = await meets({ kind: "html", ...asked })
      assert.strictEqual(met.status, status)
      assert.include(String(met.headers["content-type"]), "text/html")
      assert.isTrue(met.body.startsWith("<!DOCTYPE html>"))
    }
  })

  it("wrong_types: valid JSON of the same shape in which some values have another type", async () => {
    const { before, met } = await meets({ kind: "wrong_types" })
    const [right, wrong] = [JSON.parse(before.body), JSON.parse(met.body)]
    assert.deepStrictEqual(
      wrong.map((tag: object) => Object.keys(tag)),
      right.map((tag: object) => Object.keys(tag)),
    )
    assert.notDeepEqual(types(wrong), types(right))
  })

  it("clock_skew: the stamps of the upstream's clock are off, everything else is not", async () => {
    const { head } = venue.sim
    const ask = (method: string, params: ReadonlyArray<unknown>) =>
      fetch(`http://127.0.0.1:${venue.port}/rpc`, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      })
    const block = async () => {
      const answer = await ask("eth_getBlockByNumber", [`0x${head.toString(16)}`, false])
      const { result } = (await answer.json()) as { result: { timestamp: string } }
      return { ...result, date: Date.parse(answer.headers.get("date") ?? "") }
    }
    const right = await block()
    await venue.during({ upstream: "rpc", channel: "http", kind: "clock_skew", skew_ms: -90_000 }, async () => {
      const wrong = await block()
      assert.strictEqual(Number(wrong.timestamp), Number(right.timestamp) - 90)
      assert.strictEqual(wrong.date, Math.floor(venue.sim.now() / 1000) * 1000 - 90_000)
      assert.deepStrictEqual({ ...wrong, timestamp: right.timestamp, date: right.date }, right)
    })
    assert.strictEqual((await block()).timestamp, right.timestamp)
  })

  it("hit a share of the requests, only those to a path, and only within their time", async () => {
    const { sim } = venue
    await venue.during({ upstream: "gamma", channel: "http", kind: "server_error", share: 0.4 }, async () => {
      const statuses = await Promise.all(Array.from({ length: 60 }, () => venue.get(tags)))
      const failed = statuses.filter(({ status }) => status === 500).length
      assert.isAbove(failed, 10)
      assert.isBelow(failed, 40)
      const { seen, hits } = (await venue.control("GET", "/faults")).body.faults[0]
      assert.deepStrictEqual([seen, hits], [60, failed])
    })
    await venue.during({ upstream: "gamma", channel: "http", kind: "server_error", path: "/tags" }, async () => {
      assert.strictEqual((await venue.get(tags)).status, 500)
      assert.strictEqual((await venue.get("/gamma/sports")).status, 200)
    })
    const from = sim.now() + 5_000
    const window = { upstream: "gamma", channel: "http", kind: "server_error", from, until: from + 5_000 }
    const { body } = await venue.control("POST", "/faults", window)
    assert.strictEqual(body.state, "scheduled")
    assertWell(await venue.get(tags))
    sim.advance(5_000)
    assert.strictEqual((await venue.control("GET", "/faults")).body.faults[0].state, "active")
    assert.strictEqual((await venue.get(tags)).status, 500)
    sim.advance(5_000)
    assertWell(await venue.get(tags))
    assert.deepStrictEqual((await venue.control("GET", "/faults")).body.faults, [])
  })

  it("add up, and all go off at once", async () => {
    for (const fault of [{ kind: "slow", delay_ms: 100 }, { kind: "server_error", status: 502 }, { kind: "broken" }]) {
      await venue.control("POST", "/faults", { upstream: "gamma", channel: "http", ...fault })
    }
    const start = performance.now()
    const { status, broken } = await venue.get(tags)
    assert.deepStrictEqual([status, broken], [502, "aborted"])
    assert.isAtLeast(performance.now() - start, 95)
    assert.deepStrictEqual((await venue.control("DELETE", "/faults")).body.faults, [])
    assertWell(await venue.get(tags))
  })

  it("reach every upstream that answers requests, but never the control or the page", async () => {
    await venue.during({ upstream: "*", channel: "http", kind: "down" }, async () => {
      for (const name of [...upstreamNames.filter((each) => hasChannel(each, "http")), "api/v1"]) {
        assert.strictEqual((await venue.get(`/${name}/x`)).status, 0, name)
      }
      assert.strictEqual((await venue.get("/")).status, 200)
      assert.strictEqual((await venue.get("/_sim/state")).status, 200)
    })
  })
})
