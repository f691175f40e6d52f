import { createHash, createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { decodeAbiParameters, encodeAbiParameters, type Hex, parseAbiParameters } from "viem"
import { Journal } from "#src/simulator/Journal.ts"
import { binancePrice } from "#src/simulator/oracle/binance.ts"
import { cryptoPriceService } from "#src/simulator/oracle/cryptoPrice.ts"
import { datastreamsService } from "#src/simulator/oracle/datastreams.ts"
import { datastreamsHandshake, datastreamsSocket } from "#src/simulator/oracle/datastreamsSocket.ts"
import { encodeReport } from "#src/simulator/oracle/report.ts"
import { rtdsSocket } from "#src/simulator/oracle/rtds.ts"
import { twapOf } from "#src/simulator/oracle/twap.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { SocketService, WireRequest, WireSocket } from "#src/simulator/wire.ts"
import { slugOf } from "#src/simulator/world/catalogue/crypto/titles.ts"
import { type Coin, coins } from "#src/simulator/world/oracle.ts"
import type { Market } from "#src/simulator/world/Venue.ts"

const genesis = 1_794_700_800_000
const now = genesis + 60_000
const nowSecond = now / 1000
const credentials = { clientId: "6f1c2b9e-4c55-4b8a-9d0a-6a2f0d9f7b11", secret: "correct horse" }
const [btc, eth] = coins.map(({ feedId }) => feedId) as [string, string]
const strangeFeed = `0x0003${"ab".repeat(30)}`

const frozen = (seed: number) => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale: "tiny" }), () => now)
  sim.freeze()
  return sim
}
// For tests that only read.
const standing = frozen(7)
const { oracle } = standing.made.world
// For tests that move it on.
const moving = frozen(8)
const secondOf = (sim: Simulation) => Math.floor(sim.now() / 1000)

const requestOf = (target: string, over: Partial<WireRequest> = {}): WireRequest => {
  const url = new URL(target, "http://simulator")
  // The prefix is gone from the path, but it was part of what the client signed.
  const path = url.pathname.replace(/^\/datastreams/, "")
  return { method: "GET", path, query: url.searchParams, target, headers: {}, body: "", ...over }
}

const signed = (target: string, at = now, { clientId, secret } = credentials, method = "GET"): WireRequest => {
  const bodyHash = createHash("sha256").update("").digest("hex")
  const text = `${method} ${target} ${bodyHash} ${clientId} ${at}`
  const headers = {
    authorization: clientId,
    "x-authorization-timestamp": String(at),
    "x-authorization-signature-sha256": createHmac("sha256", secret).update(text).digest("hex"),
  }
  return requestOf(target, { method, headers })
}

const connect = (service: SocketService, request = requestOf("/")) => {
  const sent: Array<string> = []
  const closed: Array<number> = []
  const socket: WireSocket = {
    send: (text) => sent.push(text),
    close: (code) => closed.push(code),
    onMessage: () => {},
    onClose: () => {},
  }
  service(socket, request)
  return { socket, sent, closed, take: () => sent.splice(0).map((text) => JSON.parse(text)) }
}

const reportAbi = parseAbiParameters("bytes32[3], bytes, bytes32[], bytes32[], bytes32")
const blobAbi = parseAbiParameters("bytes32, uint32, uint32, uint192, uint192, uint32, int192, int192, int192")

const decoded = (fullReport: Hex) => {
  const [, blob] = decodeAbiParameters(reportAbi, fullReport)
  const [feedId, validFrom, observedAt, , , expiresAt, price, bid, ask] = decodeAbiParameters(blobAbi, blob)
  return { feedId, validFrom, observedAt, expiresAt, price, bid, ask }
}

interface Report {
  readonly feedID: string
  readonly observationsTimestamp: number
  readonly fullReport: Hex
}

describe("Reports", () => {
  it("are what an ABI encoder makes of the same values", () => {
    const word = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`)
    const uint32 = fc.integer({ min: 0, max: 0xffffffff })
    const uint = fc.bigInt({ min: 0n, max: 2n ** 191n - 1n })
    fc.assert(
      fc.property(
        fc.tuple(word, uint32, uint32, uint, uint, uint32, uint, uint, uint),
        fc.tuple(word, word, word),
        fc.array(word, { maxLength: 8 }),
        fc.array(word, { maxLength: 8 }),
        word,
        (values, context, rs, ss, vs) => {
          const [feedId, validFrom, observedAt, nativeFee, linkFee, expiresAt, price, bid, ask] = values
          const report = { feedId, validFrom, observedAt, nativeFee, linkFee, expiresAt, price, bid, ask }
          const blob = encodeAbiParameters(blobAbi, values)
          const expected = encodeAbiParameters(reportAbi, [context, blob, rs, ss, vs])
          assert.strictEqual(encodeReport(report, { context, rs, ss, vs }), expected)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe("Data Streams over REST", () => {
  const service = datastreamsService(standing, credentials, () => now)
  const get = (target: string) => {
    const { status, body } = service(signed(target))
    return { status, body: JSON.parse(body) }
  }

  it("accepts a signed request and refuses one with any part wrong", () => {
    const target = "/datastreams/api/v1/feeds?a=b"
    const good = signed(target)
    assert.strictEqual(service(good).status, 200)
    for (const at of [now - 5_000, now + 5_000]) assert.strictEqual(service(signed(target, at)).status, 200)
    const without = (name: string) => ({ ...good, headers: { ...good.headers, [name]: undefined } })
    const wrong: ReadonlyArray<WireRequest> = [
      requestOf(target),
      ...Object.keys(good.headers).map(without),
      signed(target, now - 5_001),
      signed(target, now + 5_001),
      signed(target, Number.NaN),
      signed(target, now, { ...credentials, clientId: "someone else" }),
      signed(target, now, { ...credentials, secret: "wrong horse" }),
      { ...good, method: "POST" },
      { ...good, target: "/datastreams/api/v1/feeds?a=c" },
      { ...good, target: "/api/v1/feeds?a=b" },
      { ...good, body: "x" },
      { ...good, headers: { ...good.headers, "x-authorization-timestamp": String(now + 1) } },
    ]
    for (const request of wrong) {
      const { status, body } = service(request)
      assert.strictEqual(status, 401)
      assert.strictEqual(JSON.parse(body).error, "unauthorized")
    }
  })

  it("lists the feeds and gives the newest report, with the oracle's bid and ask in 18 decimals", () => {
    assert.deepStrictEqual(
      get("/api/v1/feeds").body.feeds,
      coins.map(({ feedId }) => ({ feedID: feedId })),
    )
    coins.forEach(({ feedId }, coin) => {
      let second = nowSecond
      while (oracle.tick(coin, second) === undefined) second--
      const tick = oracle.tick(coin, second)
      const { report } = get(`/api/v1/reports/latest?feedID=${feedId}`).body
      assert.deepStrictEqual(decoded(report.fullReport), {
        feedId: feedId as Hex,
        validFrom: report.validFromTimestamp,
        observedAt: second,
        expiresAt: second + 2_592_000,
        price: BigInt(tick?.price ?? 0) * 10n ** 10n,
        bid: BigInt(tick?.bid ?? 0) * 10n ** 10n,
        ask: BigInt(tick?.ask ?? 0) * 10n ** 10n,
      })
      assert.deepInclude(report, { feedID: feedId, observationsTimestamp: second })
    })
  })

  it("pages over a day without holes or repeats, equal to single lookups", () => {
    const start = nowSecond - 86_400
    const reports: Array<Report> = []
    let from = start
    while (true) {
      const page: ReadonlyArray<Report> = get(`/api/v1/reports/page?feedID=${btc}&startTimestamp=${from}&limit=5000`)
        .body.reports
      if (page.length === 0) break
      assert.isAtMost(page.length, 1_000)
      reports.push(...page)
      from = (page.at(-1) as Report).observationsTimestamp + 1
    }
    const expected = Array.from({ length: 86_401 }, (_, i) => start + i).filter((s) => oracle.tick(0, s) !== undefined)
    assert.deepStrictEqual(
      reports.map(({ observationsTimestamp }) => observationsTimestamp),
      expected,
    )
    assert.isBelow(expected.length, 86_400)
    for (let i = 0; i < reports.length; i += 997) {
      const report = reports[i] as Report
      const target = `/api/v1/reports?feedID=${btc}&timestamp=${report.observationsTimestamp}`
      assert.deepStrictEqual(get(target).body, { report })
    }
  })

  it("has a month of history, and neither the future nor the seconds that are missing", () => {
    const monthAgo = nowSecond - 30 * 86_400
    const page: ReadonlyArray<Report> = get(`/api/v1/reports/page?feedID=${eth}&startTimestamp=${monthAgo}&limit=3`)
      .body.reports
    assert.isAtMost((page[0] as Report).observationsTimestamp, monthAgo + 3)
    assert.strictEqual(get(`/api/v1/reports?feedID=${btc}&timestamp=${nowSecond + 1}`).status, 404)
    assert.deepStrictEqual(get(`/api/v1/reports/page?feedID=${btc}&startTimestamp=${nowSecond + 1}`).body.reports, [])
    let missing = nowSecond
    while (oracle.tick(0, missing) !== undefined || oracle.tick(1, missing) === undefined) missing--
    assert.strictEqual(get(`/api/v1/reports?feedID=${btc}&timestamp=${missing}`).status, 404)
    const partial = get(`/api/v1/reports/bulk?feedIDs=${btc},${eth}&timestamp=${missing}`)
    assert.strictEqual(partial.status, 206)
    assert.deepStrictEqual(
      partial.body.reports.map(({ feedID }: Report) => feedID),
      [eth],
    )
    const single = get(`/api/v1/reports?feedID=${eth}&timestamp=${missing}`)
    assert.deepStrictEqual(single.body.report, partial.body.reports[0])
    assert.strictEqual(get(`/api/v1/reports/bulk?feedIDs=${eth},${eth}&timestamp=${missing}`).status, 200)
    assert.strictEqual(get(`/api/v1/reports/bulk?feedIDs=${strangeFeed}&timestamp=${missing}`).status, 404)
  })

  it("says what it cannot answer", () => {
    const bad = [
      "/reports/latest",
      "/reports/latest?feedID=0x00",
      `/reports?feedID=${btc}`,
      `/reports?feedID=${btc}&timestamp=${now}`,
      `/reports?feedID=${btc}&timestamp=-1`,
      `/reports/page?feedID=${btc}&startTimestamp=x`,
      `/reports/page?feedID=${btc}&startTimestamp=1&limit=0`,
      "/reports/bulk?feedIDs=&timestamp=1",
      `/reports/bulk?feedIDs=${btc}`,
    ]
    for (const target of bad) assert.strictEqual(get(`/api/v1${target}`).status, 400, target)
    assert.strictEqual(get(`/api/v1/reports/latest?feedID=${strangeFeed}`).status, 404)
    assert.strictEqual(get("/api/v2/feeds").status, 404)
    assert.strictEqual(service(signed("/api/v1/feeds", now, credentials, "POST")).status, 405)
  })
})

describe("Data Streams over a socket", () => {
  const target = (feeds: string) => `/datastreams/api/v1/ws?feedIDs=${feeds}`

  it("sends a report for every feed asked for and every second that has one", () => {
    const sim = moving
    const service = datastreamsSocket(sim, credentials, () => now)
    const { socket, take } = connect(service, signed(target(`${btc},${eth}`)))
    assert.deepStrictEqual(take(), [])
    const from = secondOf(sim) + 1
    sim.advance(400_000)
    const expected = Array.from({ length: 400 }, (_, i) => from + i).flatMap((second) =>
      [0, 1].flatMap((coin) => {
        const tick = sim.made.world.oracle.tick(coin, second)
        return tick === undefined ? [] : [[(coins[coin] as Coin).feedId, second, BigInt(tick.bid) * 10n ** 10n]]
      }),
    )
    assert.deepStrictEqual(
      take().map(({ report }) => [report.feedID, report.observationsTimestamp, decoded(report.fullReport).bid]),
      expected,
    )
    assert.isBelow(expected.length, 800)
    socket.onClose()
    sim.advance(5_000)
    assert.deepStrictEqual(take(), [])
  })

  it("turns away whoever is not authorized or asks for no feed of ours", () => {
    const service = datastreamsSocket(standing, credentials, () => now)
    const refused = [requestOf(target(btc)), signed(target("")), signed(target("x")), signed(target(strangeFeed))]
    for (const request of refused) assert.deepStrictEqual(connect(service, request).closed, [1008])
    const handshake = datastreamsHandshake(credentials, () => now)
    assert.deepStrictEqual(
      [...refused, signed(target(btc))].map((request) => handshake(request)?.status),
      [401, 400, 400, 400, undefined],
    )
  })
})

describe("RTDS", () => {
  const subscribe = (topic: string, filters?: unknown, type = "*", action = "subscribe") =>
    JSON.stringify({ action, subscriptions: [{ topic, type, filters }] })

  it("answers pings and survives any frame", () => {
    const { socket, sent } = connect(rtdsSocket(standing))
    socket.onMessage("PING")
    socket.onMessage("ping")
    assert.deepStrictEqual(sent.splice(0), ["PONG", "PONG"])
    const frame = fc.record({
      action: fc.constantFrom("subscribe", "unsubscribe", "dance"),
      subscriptions: fc.array(
        fc.record({
          topic: fc.constantFrom<unknown>("crypto_prices", "constructor", 1),
          type: fc.constantFrom<unknown>("update", "*", undefined, 5),
          filters: fc.oneof(
            fc.jsonValue(),
            fc.json(),
            fc.constantFrom("{", "[1", '{"__proto__":"x"}', { toString: 1 }),
          ),
        }),
      ),
    })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          frame.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          socket.onMessage(text)
        },
      ),
      { numRuns: 500 },
    )
  })

  it("sends a snapshot and then every second that comes, with all forms of filters", () => {
    const sim = moving
    const service = rtdsSocket(sim)
    const forms: ReadonlyArray<unknown> = [
      '{"symbol":"btcusdt"}',
      { symbol: "BTCusdt" },
      "btcusdt",
      ["btcusdt"],
      '["btcusdt"]',
    ]
    const clients = forms.map((filters, i) => {
      const client = connect(service)
      client.socket.onMessage(subscribe("crypto_prices", filters, i % 2 === 0 ? "update" : "*"))
      return client
    })
    const prices = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((second) => {
        const price = binancePrice(sim.made.world.oracle, 0, second)
        return price === undefined ? [] : [{ timestamp: second * 1000, value: price / 1e8 }]
      })
    const start = secondOf(sim)
    const ids = new Set<string>()
    for (const { take } of clients) {
      const [snapshot, ...more] = take()
      assert.deepStrictEqual(more, [])
      ids.add(snapshot.connection_id)
      assert.deepInclude(snapshot, { topic: "crypto_prices", type: "subscribe", timestamp: sim.now() })
      assert.deepStrictEqual(snapshot.payload, { symbol: "btcusdt", data: prices(start - 119, start) })
    }
    assert.strictEqual(ids.size, forms.length)
    sim.advance(200_000)
    const expected = prices(start + 1, start + 200)
    assert.isBelow(expected.length, 200)
    for (const { take } of clients) {
      const updates = take()
      assert.deepStrictEqual(
        updates.map(({ payload: { timestamp, value } }) => ({ timestamp, value })),
        expected,
      )
      for (const { topic, type, payload } of updates) {
        assert.deepStrictEqual([topic, type, payload.symbol], ["crypto_prices", "update", "btcusdt"])
        assert.strictEqual(Number(payload.full_accuracy_value), payload.value)
      }
    }
  })

  it("serves every topic and coin without a filter, once however often it is asked for", () => {
    const sim = moving
    const { socket, take } = connect(rtdsSocket(sim))
    for (const filters of [undefined, "", "[]"]) socket.onMessage(subscribe("crypto_prices_chainlink", filters))
    socket.onMessage(subscribe("crypto_prices_twap_sixty", undefined, "update"))
    assert.deepStrictEqual(take(), [])
    socket.onMessage(subscribe("crypto_prices_twap_thirty", { symbol: "eth/usd" }))
    socket.onMessage(subscribe("crypto_prices_chainlink", "btc/usd,eth/usd"))
    assert.deepStrictEqual(
      take().map(({ type, payload }) => [type, payload.symbol]),
      ["eth/usd", "btc/usd", "eth/usd"].map((symbol) => ["subscribe", symbol]),
    )
    sim.advance(1_000)
    const second = secondOf(sim)
    const world = sim.made.world.oracle
    const coming = coins.map((_, coin) => coin).filter((coin) => world.platformPrice(coin, second) !== undefined)
    const text = (topic: string, coin: number, price: number) =>
      `${topic} ${(coins[coin] as Coin).symbol.toLowerCase()}/usd ${BigInt(price) * 10n ** 10n}`
    const expected = [
      ...coming.map((coin) => text("crypto_prices_chainlink", coin, world.platformPrice(coin, second) as number)),
      ...coming
        .filter((coin) => coin === 1)
        .map((coin) => `${text("crypto_prices_twap_thirty", coin, twapOf(world, coin, second, 30))} 30`),
      ...coming.map((coin) => `${text("crypto_prices_twap_sixty", coin, world.twap60(coin, second))} 60`),
    ]
    assert.deepStrictEqual(
      take().map(({ topic, payload: { symbol, full_accuracy_value, window_s = "" } }) =>
        `${topic} ${symbol} ${full_accuracy_value} ${window_s}`.trim(),
      ),
      expected,
    )
  })

  it("stops when told to, or when the client has gone", () => {
    const sim = moving
    const { socket, take } = connect(rtdsSocket(sim))
    const topics = () => {
      take()
      sim.advance(3_000)
      return [...new Set(take().map(({ topic, payload }) => `${topic} ${payload.symbol}`))]
    }
    for (const symbol of ["btc/usd", "eth/usd"]) socket.onMessage(subscribe("crypto_prices_chainlink", { symbol }))
    assert.lengthOf(topics(), 2)
    socket.onMessage(subscribe("crypto_prices_chainlink", '{"symbol":"BTC/USD"}', "*", "unsubscribe"))
    assert.deepStrictEqual(topics(), ["crypto_prices_chainlink eth/usd"])
    socket.onMessage(subscribe("crypto_prices_chainlink", undefined, "*", "unsubscribe"))
    assert.deepStrictEqual(topics(), [])
    socket.onMessage(subscribe("crypto_prices"))
    socket.onClose()
    assert.deepStrictEqual(topics(), [])
  })
})

describe("The site's crypto-price", () => {
  const five = 300_000
  const iso = (at: number) => new Date(at).toISOString().replace(".000Z", "Z")
  const query = (symbol: string, openAt: number, closeAt: number, variant: string, more = "") =>
    `/api/crypto/crypto-price?symbol=${symbol}&eventStartTime=${iso(openAt)}&endDate=${iso(closeAt)}&variant=${variant}${more}`
  const asker = (sim: Simulation) => {
    const service = cryptoPriceService(sim)
    return (symbol: string, openAt: number, closeAt: number, variant: string, more = "&twapEnabled=true") =>
      JSON.parse(service(requestOf(query(symbol, openAt, closeAt, variant, more))).body)
  }

  it("chains windows, and agrees with how their markets were resolved", () => {
    const ask = asker(standing)
    const spans = [
      ["5m", "fiveminute", five, "&twap=true&twapLookbackSeconds=60"],
      ["15m", "fifteenminute", 3 * five, "&twapEnabled=true&twapLookbackSeconds=60"],
      ["1h", "hourly", 12 * five, ""],
      ["4h", "fourhour", 48 * five, "&twapEnabled=true"],
    ] as const
    const outcomes = new Set<number>()
    for (const [span, variant, lasts, more] of spans) {
      for (const [coin, { symbol }] of coins.entries()) {
        const newest = Math.floor((now - 600_000) / lasts) * lasts
        let before: number | undefined
        for (let openAt = newest - 6 * lasts; openAt + lasts <= newest; openAt += lasts) {
          const slug = slugOf({ coin, span, openAt, closeAt: openAt + lasts })
          const { venue } = standing.made.world
          const market = venue.markets[venue.bySlug.get(slug)?.markets[0] ?? -1] as Market
          const { openPrice, closePrice, ...rest } = ask(symbol, openAt, openAt + lasts, variant, more)
          assert.deepStrictEqual(rest, {
            timestamp: market.resolvedAt,
            completed: true,
            incomplete: false,
            cached: true,
          })
          if (before !== undefined) assert.strictEqual(openPrice, before)
          before = closePrice
          const winner = closePrice >= openPrice ? 0 : 1
          outcomes.add(winner)
          assert.strictEqual(market.payouts?.[winner], 1, slug)
        }
      }
    }
    assert.strictEqual(outcomes.size, 2)
  })

  it("follows a window from before its start until it is resolved", () => {
    const sim = moving
    const ask = asker(sim)
    const openAt = Math.ceil((sim.now() + 10_000) / five) * five
    const current = (more?: string) => ask("BTC", openAt, openAt + five, "fiveminute", more)
    const nothing = { openPrice: null, closePrice: null, completed: false, incomplete: true, cached: false }
    assert.deepStrictEqual(current(), { ...nothing, timestamp: sim.now() })
    sim.advance(openAt - sim.now() + 1_000)
    assert.deepInclude(current(), { openPrice: null, incomplete: true })
    assert.isNumber(current().closePrice)
    sim.advance(30_000)
    const world = sim.made.world.oracle
    const running = current()
    assert.deepInclude(running, {
      openPrice: world.twap60(0, openAt / 1000) / 1e8,
      incomplete: false,
      completed: false,
    })
    assert.strictEqual(current("").openPrice, world.priceAt(0, openAt / 1000) / 1e8)
    sim.advance(60_000)
    assert.notStrictEqual(current().closePrice, running.closePrice)
    assert.strictEqual(current().openPrice, running.openPrice)
    sim.advance(openAt + five - sim.now())
    const ended = current()
    assert.strictEqual(ended.completed, false)
    const { venue } = sim.made.world
    const market = venue.markets[venue.bySlug.get(`btc-updown-5m-${openAt / 1000}`)?.markets[0] ?? -1] as Market
    while (sim.now() < market.plan.resolvesAt) {
      assert.deepInclude(current(), { completed: false, closePrice: ended.closePrice })
      sim.advance(Math.min(5_000, market.plan.resolvesAt - sim.now()))
    }
    assert.deepInclude(current(), { completed: true, cached: true, closePrice: ended.closePrice })
    assert.strictEqual(ask("BTC", openAt + five, openAt + 2 * five, "fiveminute").openPrice, ended.closePrice)
  })

  it("refuses what it does not understand", () => {
    const service = cryptoPriceService(standing)
    const status = (target: string) => service(requestOf(target)).status
    const [a, b] = [genesis, genesis + five]
    assert.strictEqual(status(query("BTC", a, b, "fiveminute")), 200)
    assert.strictEqual(status(query("BTC", a, b, "fiveminute").replaceAll("00Z", "00.000Z")), 200)
    const bad = [
      "/api/crypto/crypto-price",
      query("ABC", a, b, "fiveminute"),
      query("BTC", b, a, "fiveminute"),
      query("BTC", a, b, "century"),
      query("BTC", a, b, "fiveminute", "&twap=true&twapLookbackSeconds=x"),
      query("BTC", a, b, "fiveminute").replace("2026", "soon"),
    ]
    for (const target of bad) assert.strictEqual(status(target), 400, target)
    assert.strictEqual(status("/api/other"), 404)
  })
})
