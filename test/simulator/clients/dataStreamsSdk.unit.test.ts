import { createClient, decodeReport, type Report } from "@chainlink/data-streams-sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { simulatorCredentials } from "#src/simulator/start.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import { runningVenue } from "#test/support/venue.ts"

const clientOf = (port: number, secret = simulatorCredentials.secret) =>
  createClient({
    apiKey: simulatorCredentials.clientId,
    userSecret: secret,
    endpoint: `http://127.0.0.1:${port}/datastreams`,
    wsEndpoint: `ws://127.0.0.1:${port}/datastreams`,
    retryAttempts: 0,
  })

const eth = coins.findIndex(({ symbol }) => symbol === "ETH")
const feedID = coins[eth]?.feedId ?? ""

/** From 8 decimals to the 18 of a report. */
const wide = (price: number) => BigInt(price) * 10n ** 10n

describe("data-streams SDK", () => {
  it.live("reads and decodes the latest report, a past report and a page", () =>
    Effect.gen(function* () {
      const { port, simulation } = yield* runningVenue(9)
      simulation.freeze()
      const { oracle } = simulation.model.world
      const client = clientOf(port)
      const feeds = yield* Effect.promise(() => client.listFeeds())
      assert.sameMembers(
        feeds.map(({ feedID }) => feedID),
        coins.map(({ feedId }) => feedId),
      )
      const same = (report: Report) => {
        const decoded = decodeReport(report.fullReport, report.feedID)
        const tick = oracle.tick(eth, report.observationsTimestamp)
        assert.deepStrictEqual(
          "price" in decoded && "bid" in decoded && [decoded.price, decoded.bid, decoded.ask],
          tick && [wide(tick.price), wide(tick.bid), wide(tick.ask)],
        )
        assert.strictEqual(report.feedID, feedID)
      }
      const latest = yield* Effect.promise(() => client.getLatestReport(feedID))
      same(latest)
      assert.isAtMost(simulation.now() / 1000 - latest.observationsTimestamp, 3)
      const daysAgo = latest.observationsTimestamp - 29 * 86_400
      const page = yield* Effect.promise(() => client.getReportsPage(feedID, daysAgo, 50))
      assert.lengthOf(page, 50)
      for (const report of page) same(report)
      const past = page[0] as Report
      assert.deepStrictEqual(
        yield* Effect.promise(() => client.getReportByTimestamp(feedID, past.observationsTimestamp)),
        past,
      )
      const refused = yield* Effect.flip(
        Effect.tryPromise({ try: () => clientOf(port, "wrong").getLatestReport(feedID), catch: String }),
      )
      assert.match(refused, /signature does not match/)
    }),
  )

  it.live("streams a report a second", () =>
    Effect.gen(function* () {
      const { port, simulation, until } = yield* runningVenue(9)
      simulation.freeze()
      const stream = clientOf(port).createStream([feedID])
      const reports: Array<Report> = []
      stream.on("report", (report) => reports.push(report))
      yield* Effect.acquireRelease(
        Effect.promise(() => stream.connect()),
        () => Effect.promise(() => stream.close()),
      )
      simulation.advance(20_000)
      yield* until("the reports", () => reports.length >= 15)
      const seconds = reports.map(({ observationsTimestamp }) => observationsTimestamp)
      assert.deepStrictEqual(
        seconds,
        [...new Set(seconds)].sort((a, b) => a - b),
      )
    }),
  )
})
