import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { allowances, plans } from "#src/domain/Plan.ts"
import { type Coin, coins, feedName, tickId } from "#src/domain/Tick.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { FeedMemory } from "#src/ticks/live/FeedMemory.ts"
import { grantReplay, type ReplayRequest } from "#ws/ticks/replay.ts"
import { describeTickRequest, readTickRequest, type TickRequest } from "#ws/ticks/tickRequest.ts"
import { beginning, tickAt } from "./support/ticks.ts"

const source = "oracle_data_streams"
const second = (n: number) => beginning + n * 1000
/** There is a tick every second up to this one. */
const last = 700
const now = second(last) + 400

const requestOf = (filters: Filters): TickRequest => Result.getOrThrow(readTickRequest(filters, source))
const refused = (filters: Filters) => Result.getOrThrow(Result.flip(readTickRequest(filters, source))).message

describe("readTickRequest", () => {
  it("defaults to all feeds at spot prices", () => {
    assert.deepStrictEqual(describeTickRequest(requestOf({})), {
      feeds: coins.map(feedName),
      source,
      price_source: "spot",
      prices: ["spot"],
      twap_windows: [],
    })
  })

  it("accepts feeds by any of their names, once each", () => {
    const { feeds } = describeTickRequest(requestOf({ feeds: ["btc", "BTC/USD", "Eth/usd"] }))
    assert.deepStrictEqual(feeds, ["BTC/USD", "ETH/USD"])
  })

  it("an unknown feed is a warning next to known ones and an error on its own", () => {
    const { coins: some, warnings } = requestOf({ feeds: ["BTC", "ABC"] })
    assert.deepStrictEqual(some, ["BTC"])
    assert.match(warnings[0] ?? "", /unknown feed ABC; available feeds: BTC\/USD, ETH\/USD/)
    assert.match(refused({ feeds: ["ABC", "XYZ/USD"] }), /unknown feed ABC, XYZ\/USD; available feeds: BTC\/USD/)
  })

  it("averages have windows, come without spot prices and cannot be combined with them", () => {
    const summaryOf = (windows: ReadonlyArray<30 | 60>) => describeTickRequest(requestOf({ twap_windows: windows }))
    assert.deepInclude(summaryOf([30]), { price_source: "twap30", prices: ["twap30"], twap_windows: [30] })
    assert.deepInclude(summaryOf([60, 60]), { price_source: "twap60", prices: ["twap60"], twap_windows: [60] })
    assert.deepInclude(summaryOf([60, 30]), {
      price_source: "both",
      prices: ["twap30", "twap60"],
      twap_windows: [30, 60],
    })
    assert.deepInclude(summaryOf([]), { price_source: "spot", twap_windows: [] })
    assert.match(refused({ price_source: "spot", twap_windows: [30] }), /not both/)
  })

  it("filters that do not apply cause a warning", () => {
    const { warnings } = requestOf({ wallets: [], min_size: 5, since: 1, feeds: ["BTC"] })
    assert.deepStrictEqual(warnings, ["these filters do not apply to price feeds: wallets, min_size"])
  })
})

describe("grantReplay", () => {
  const memories = new Map(
    coins.map((coin) => {
      const memory = new FeedMemory(source, coin, beginning)
      for (let n = 1; n <= last; n++) memory.add(tickAt(source, coin, n, coin === "DOGE" && n === last - 10))
      return [coin, memory]
    }),
  )
  const memoryOf = (coin: Coin) => memories.get(coin) as FeedMemory
  const grant = (
    replay: Partial<ReplayRequest>,
    plan: (typeof plans)[number] = "growth",
    request = requestOf({ feeds: ["BTC"] }),
  ) =>
    grantReplay(
      { since: undefined, snapshotCount: undefined, ticks: undefined, ...replay },
      { request, plan, now, memoryOf },
    )
  /** The first second that is replayed. */
  const firstOf = (granted: ReturnType<typeof grant>, coin: Coin = "BTC") => {
    const [tick] = memoryOf(coin).after(granted?.after.get(coin) ?? Number.POSITIVE_INFINITY)
    return tick && (tick.at - beginning) / 1000
  }

  it("replays nothing unless requested", () => {
    assert.isUndefined(grant({}))
    assert.isUndefined(grant({ snapshotCount: 0 }))
    assert.isUndefined(grant({ ticks: {} }))
  })

  it("since is inclusive and reaches exactly as far as the plan", () => {
    for (const plan of plans) {
      const oldest = now - allowances[plan].sinceSeconds * 1000
      const within = grant({ since: oldest }, plan)
      assert.deepStrictEqual(within?.ackFields.replay, {
        mode: "since",
        requested: oldest,
        granted: oldest,
        clamped: false,
      })
      assert.isEmpty(within?.warnings)
      const beyond = grant({ since: oldest - 1 }, plan)
      assert.deepInclude(beyond?.ackFields.replay, { granted: oldest, clamped: true })
      assert.lengthOf(beyond?.warnings ?? [], 1)
    }
    assert.strictEqual(firstOf(grant({ since: second(690) })), 690)
    assert.strictEqual(firstOf(grant({ since: second(690) + 1 })), 691)
    assert.strictEqual(firstOf(grant({ since: second(last) })), last)
    assert.isUndefined(firstOf(grant({ since: second(last) + 1 })))
    assert.isUndefined(firstOf(grant({ since: now + 86_400_000 })))
  })

  it("since takes precedence over a count", () => {
    assert.strictEqual(grant({ since: second(690), snapshotCount: 5 })?.ackFields.replay?.mode, "since")
  })

  it("a count is limited by the plan", () => {
    for (const plan of plans) {
      const most = allowances[plan].snapshotCount
      assert.deepInclude(grant({ snapshotCount: most }, plan)?.ackFields.replay, { granted: most, clamped: false })
      const more = grant({ snapshotCount: most + 1 }, plan)
      assert.deepInclude(more?.ackFields.replay, { requested: most + 1, granted: most, clamped: true })
      assert.strictEqual(more?.count, most)
      assert.strictEqual(firstOf(more), last - most + 1)
    }
  })

  it("a resumption replays the missed ticks as far as the plan allows", () => {
    const resumeAt = (n: number, plan: (typeof plans)[number] = "starter") =>
      grant({ ticks: { "BTC/USD": tickId(source, { coin: "BTC", at: second(n) }) } }, plan)
    const reach = allowances.starter.sinceSeconds
    const fine = resumeAt(last - reach + 1)
    assert.deepInclude(fine?.ackFields, { recovered: true })
    assert.notProperty(fine?.ackFields, "missed")
    assert.strictEqual(firstOf(fine), last - reach + 2)
    assert.isUndefined(firstOf(resumeAt(last)))
    const lost = resumeAt(last - reach - 50)
    const until = now - reach * 1000
    assert.strictEqual(lost?.ackFields.recovered, false)
    assert.match(lost?.ackFields.reason ?? "", /120 s on the starter plan/)
    assert.deepStrictEqual(lost?.ackFields.missed, {
      after: second(last - reach - 50),
      until,
      fetch: `/v1/crypto/ticks?symbol=BTC&source=${source}&from=${second(last - reach - 50) + 1}&to=${until}`,
    })
    assert.strictEqual((lost?.after.get("BTC") ?? 0) + 1, until)
  })

  it("ticks that are not in memory are not reported as recovered", () => {
    const request = requestOf({ feeds: ["DOGE"] })
    const resumeAt = (n: number) => grant({ ticks: { DOGE: `${second(n)}-40` } }, "growth", request)
    assert.strictEqual(resumeAt(last - 10)?.ackFields.recovered, true)
    const lost = resumeAt(last - 12)
    assert.strictEqual(lost?.ackFields.recovered, false)
    assert.strictEqual(firstOf(lost, "DOGE"), last - 10)
    assert.deepInclude(grant({ since: second(last - 12) }, "growth", request)?.ackFields.replay, { clamped: true })
  })

  it("feeds without a resume id start with `since`, or live", () => {
    const request = requestOf({ feeds: ["BTC", "ETH"] })
    const ticks = { btc: tickId(source, { coin: "BTC", at: second(690) }) }
    assert.deepStrictEqual([...(grant({ ticks }, "growth", request)?.after ?? [])], [["BTC", second(690)]])
    const both = grant({ ticks, since: second(650) }, "growth", request)
    assert.strictEqual(firstOf(both, "BTC"), 691)
    assert.strictEqual(firstOf(both, "ETH"), 650)
  })

  it("unusable ids cause a warning and lose nothing", () => {
    const future = grant({ ticks: { BTC: `${now + 3_600_000}-0` } })
    assert.strictEqual(future?.ackFields.recovered, false)
    assert.match(future?.ackFields.reason ?? "", /is in the future/)
    assert.isEmpty([...(future?.after ?? [])])
    const other = grant({ ticks: { BTC: tickId("platform_oracle", { coin: "ETH", at: second(690) }) } })
    assert.match(other?.warnings[0] ?? "", /belongs to ETH\/USD from platform_oracle/)
    assert.strictEqual(firstOf(other), 691)
    const unknown = grant({ ticks: { "ABC/USD": "1-0" } })
    assert.strictEqual(unknown?.ackFields.recovered, false)
    assert.match(unknown?.ackFields.reason ?? "", /not a feed of this subscription/)
  })
})
