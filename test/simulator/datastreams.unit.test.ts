import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { decodeAbiParameters, encodeAbiParameters, type Hex, parseAbiParameters } from "viem"
import { datastreamsHandshake, datastreamsService, datastreamsSocket } from "#src/simulator/oracle/datastreams.ts"
import { encodeReport } from "#src/simulator/oracle/report.ts"
import type { WireRequest } from "#src/simulator/wire.ts"
import { type Coin, coins } from "#src/simulator/world/oracle.ts"
import {
  btc,
  connect,
  credentials,
  eth,
  frozen,
  now,
  nowSecond,
  requestOf,
  secondOf,
  signed,
  unknownFeed,
} from "./oracleWorld.ts"

// For tests that only read.
const still = frozen(7)
const { oracle } = still.model.world
// For tests that advance time.
const moving = frozen(8)
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

describe("encodeReport", () => {
  it("matches an ABI encoder", () => {
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
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 200 : 50 },
    )
  })
})

describe("datastreamsService", () => {
  const service = datastreamsService(still, credentials, () => now)
  const get = (target: string) => {
    const { status, body } = service(signed(target))
    return { status, body: JSON.parse(body) }
  }

  it("accepts a signed request and rejects one with any wrong part", () => {
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

  it("lists the feeds and returns the newest report with the oracle's bid and ask in 18 decimals", () => {
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

  it("pages over hours have no gaps or repeats and equal single lookups", () => {
    const seconds = process.env.PRESAGE_SOAK === "1" ? 86_400 : 7_200
    const start = nowSecond - seconds
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
    const expected = Array.from({ length: seconds + 1 }, (_, i) => start + i).filter(
      (s) => oracle.tick(0, s) !== undefined,
    )
    assert.deepStrictEqual(
      reports.map(({ observationsTimestamp }) => observationsTimestamp),
      expected,
    )
    assert.isBelow(expected.length, seconds)
    for (let i = 0; i < reports.length; i += 331) {
      const report = reports[i] as Report
      const target = `/api/v1/reports?feedID=${btc}&timestamp=${report.observationsTimestamp}`
      assert.deepStrictEqual(get(target).body, { report })
    }
  })

  it("has a month of history, without future or missing seconds", () => {
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
    assert.strictEqual(get(`/api/v1/reports/bulk?feedIDs=${unknownFeed}&timestamp=${missing}`).status, 404)
  })

  it("rejects invalid requests with a matching status", () => {
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
    assert.strictEqual(get(`/api/v1/reports/latest?feedID=${unknownFeed}`).status, 404)
    assert.strictEqual(get("/api/v2/feeds").status, 404)
    assert.strictEqual(service(signed("/api/v1/feeds", now, credentials, "POST")).status, 405)
  })
})

describe("datastreamsSocket", () => {
  const target = (feeds: string) => `/datastreams/api/v1/ws?feedIDs=${feeds}`

  it("sends every report of the requested feeds", () => {
    const sim = moving
    const service = datastreamsSocket(sim, credentials, () => now)
    const { socket, take } = connect(service, signed(target(`${btc},${eth}`)))
    assert.deepStrictEqual(take(), [])
    const from = secondOf(sim) + 1
    sim.advance(400_000)
    const expected = Array.from({ length: 400 }, (_, i) => from + i).flatMap((second) =>
      [0, 1].flatMap((coin) => {
        const tick = sim.model.world.oracle.tick(coin, second)
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

  it("rejects unauthorized clients and unknown feeds", () => {
    const service = datastreamsSocket(still, credentials, () => now)
    const refused = [requestOf(target(btc)), signed(target("")), signed(target("x")), signed(target(unknownFeed))]
    for (const request of refused) assert.deepStrictEqual(connect(service, request).closed, [1008])
    const handshake = datastreamsHandshake(credentials, () => now)
    assert.deepStrictEqual(
      [...refused, signed(target(btc))].map((request) => handshake(request)?.status),
      [401, 400, 400, 400, undefined],
    )
  })
})
