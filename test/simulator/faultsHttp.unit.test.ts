import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasChannel, upstreamNames } from "#src/simulator/faults/Fault.ts"
import { type Answer, frozenVenue, send, type Venue } from "./frozenVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue()
})
afterAll(() => venue.stop())

const tags = "/gamma/tags?limit=5"

const assertHealthy = ({ status, headers, body, broken }: Answer) => {
  assert.deepStrictEqual([status, headers["content-type"], broken], [200, "application/json", undefined])
  assert.lengthOf(JSON.parse(body), 5)
}

/** The response while the fault is on; before and after, the responses are equal. */
const faulty = async (fault: object, path = tags) => {
  const before = await venue.get(path)
  let response: Answer | undefined
  await venue.during({ upstream: path.split("/")[1], channel: "http", ...fault }, async () => {
    response = await venue.get(path)
  })
  const after = await venue.get(path)
  assert.deepStrictEqual([after.status, after.body], [before.status, before.body])
  return { before, response: response as Answer }
}

const types = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, types(each)]))
    : value === null
      ? "null"
      : typeof value

describe("HTTP faults", () => {
  it("down: breaks the connection without a response", async () => {
    const { before, response } = await faulty({ kind: "down" })
    assertHealthy(before)
    assert.strictEqual(response.status, 0)
    assert.strictEqual(response.broken, "socket hang up")
  })

  it("rate_limited: responds 429 with Retry-After in the upstream's error format", async () => {
    const { response } = await faulty({ kind: "rate_limited", retry_after_s: 17 })
    assert.deepStrictEqual([response.status, response.headers["retry-after"]], [429, "17"])
    assert.deepStrictEqual(JSON.parse(response.body), { type: "rate limit error", error: "Too Many Requests" })
    const site = await faulty({ kind: "rate_limited" }, "/site/api/crypto/crypto-price")
    assert.deepStrictEqual([site.response.status, site.response.headers["retry-after"]], [429, "5"])
    assert.deepStrictEqual(JSON.parse(site.response.body), { error: "Too Many Requests" })
    const rpc = await faulty({ kind: "rate_limited" }, "/rpc/")
    assert.deepStrictEqual(JSON.parse(rpc.response.body).error, { code: -32005, message: "Too Many Requests" })
    const x = await faulty({ kind: "rate_limited", retry_after_s: 60 }, "/x/2/tweets/search/recent")
    assert.strictEqual(x.response.headers["x-rate-limit-reset"], String(Math.ceil(venue.sim.now() / 1000) + 60))
    assert.strictEqual(JSON.parse(x.response.body).title, "Too Many Requests")
  })

  it("server_error: responds 500 or the given status", async () => {
    const { response } = await faulty({ kind: "server_error" })
    assert.strictEqual(response.status, 500)
    assert.strictEqual(JSON.parse(response.body).error, "Internal Server Error")
    assert.strictEqual((await faulty({ kind: "server_error", status: 503 })).response.status, 503)
  })

  it("slow: delays an otherwise unchanged response", async () => {
    const start = performance.now()
    const { before, response } = await faulty({ kind: "slow", delay_ms: 300 })
    assert.isAtLeast(performance.now() - start, 300)
    assert.strictEqual(response.body, before.body)
  })

  it("truncated: sends a complete response with invalid JSON", async () => {
    const lengths = new Set<number>()
    for (const path of [tags, "/clob/time", "/gamma/sports", "/data/trades"]) {
      const { before, response } = await faulty({ kind: "truncated" }, path)
      assert.deepStrictEqual([response.status, response.broken], [200, undefined], path)
      assert.strictEqual(response.headers["content-type"], "application/json")
      assert.strictEqual(response.headers["content-length"], String(Buffer.byteLength(response.body)))
      assert.isTrue(before.body.startsWith(response.body) && response.body.length < before.body.length)
      assert.throws(() => JSON.parse(response.body), SyntaxError)
      lengths.add(response.body.length)
    }
    assert.isAbove(Math.max(...lengths), 0)
  })

  it("broken: ends the body before its announced length", async () => {
    const { before, response } = await faulty({ kind: "broken" })
    assert.deepStrictEqual([response.status, response.broken], [200, "aborted"])
    assert.strictEqual(response.headers["content-length"], String(Buffer.byteLength(before.body)))
    assert.isBelow(response.body.length, before.body.length)
    assert.isTrue(before.body.startsWith(response.body))
  })

  it("html: sends an HTML page with a success or an error status", async () => {
    for (const [options, status] of [
      [{}, 200],
      [{ status: 502 }, 502],
    ] as const) {
      const { response } = await faulty({ kind: "html", ...options })
      assert.strictEqual(response.status, status)
      assert.include(String(response.headers["content-type"]), "text/html")
      assert.isTrue(response.body.startsWith("<!DOCTYPE html>"))
    }
  })

  it("wrong_types: sends valid JSON of the same shape with some values of another type", async () => {
    const { before, response } = await faulty({ kind: "wrong_types" })
    const [right, wrong] = [JSON.parse(before.body), JSON.parse(response.body)]
    assert.deepStrictEqual(
      wrong.map((tag: object) => Object.keys(tag)),
      right.map((tag: object) => Object.keys(tag)),
    )
    assert.notDeepEqual(types(wrong), types(right))
  })

  it("clock_skew: shifts the upstream's timestamps and nothing else", async () => {
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

  it("hit a share of the requests, only on their path and only in their time window", async () => {
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
    assertHealthy(await venue.get(tags))
    sim.advance(5_000)
    assert.strictEqual((await venue.control("GET", "/faults")).body.faults[0].state, "active")
    assert.strictEqual((await venue.get(tags)).status, 500)
    sim.advance(5_000)
    assertHealthy(await venue.get(tags))
    assert.deepStrictEqual((await venue.control("GET", "/faults")).body.faults, [])
  })

  it("combine, and can be switched off all at once", async () => {
    for (const fault of [{ kind: "slow", delay_ms: 100 }, { kind: "server_error", status: 502 }, { kind: "broken" }]) {
      await venue.control("POST", "/faults", { upstream: "gamma", channel: "http", ...fault })
    }
    const start = performance.now()
    const { status, broken } = await venue.get(tags)
    assert.deepStrictEqual([status, broken], [502, "aborted"])
    assert.isAtLeast(performance.now() - start, 95)
    assert.deepStrictEqual((await venue.control("DELETE", "/faults")).body.faults, [])
    assertHealthy(await venue.get(tags))
  })

  it("affect every HTTP upstream, but never the control or the page", async () => {
    await venue.during({ upstream: "*", channel: "http", kind: "down" }, async () => {
      for (const name of [...upstreamNames.filter((each) => hasChannel(each, "http")), "api/v1"]) {
        assert.strictEqual((await venue.get(`/${name}/x`)).status, 0, name)
      }
      assert.strictEqual((await venue.get("/")).status, 200)
      assert.strictEqual((await venue.get("/_sim/state")).status, 200)
    })
  })
})

const hex = (value: number) => `0x${value.toString(16)}`

describe("HTTP fault: behind", () => {
  it("hides the newest blocks and their logs and answers correctly for all earlier ones", async () => {
    const { port, sim, stop, during, control } = await frozenVenue()
    sim.advance(20_000)
    const ask = async (method: string, ...params: ReadonlyArray<unknown>) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      return JSON.parse((await send(port, "/rpc", { method: "POST", body })).body)
    }
    const lastTen = { fromBlock: hex(sim.head - 9), toBlock: hex(sim.head) }
    const firstSix = { fromBlock: hex(sim.head - 9), toBlock: hex(sim.head - 4) }
    const { result: all } = await ask("eth_getLogs", lastTen)
    const { result: early } = await ask("eth_getLogs", firstSix)
    assert.isAbove(all.length, early.length)
    const fault = { upstream: "rpc", channel: "http", kind: "behind", blocks: 4 }
    await during(fault, async () => {
      assert.strictEqual((await ask("eth_blockNumber")).result, hex(sim.head - 4))
      assert.strictEqual((await ask("eth_getBlockByNumber", "latest", false)).result.number, hex(sim.head - 4))
      assert.isNull((await ask("eth_getBlockByNumber", hex(sim.head - 3), false)).result)
      assert.deepStrictEqual((await ask("eth_getLogs", lastTen)).result, early)
      const blockHash = sim.chain.hashOf(sim.head)
      assert.match((await ask("eth_getLogs", { blockHash })).error.message, /unknown block/)
    })
    assert.deepStrictEqual((await ask("eth_getLogs", lastTen)).result, all)
    const elsewhere = await control("POST", "/faults", { ...fault, upstream: "gamma" })
    assert.deepStrictEqual(elsewhere, { status: 400, body: { error: "kind: behind applies to rpc only" } })
    await stop()
  })
})
