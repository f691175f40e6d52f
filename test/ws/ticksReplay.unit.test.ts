import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { allowances, plans } from "#src/domain/Plan.ts"
import { type Coin, coins, feedName, tickId } from "#src/domain/Tick.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { Memory } from "#src/ticks/live/Memory.ts"
import { type Asked, grantReplay } from "#ws/ticks/replay.ts"
import { readWanted, type Wanted, wantedInWords } from "#ws/ticks/wanted.ts"
import { beginning, tickAt } from "./ticksSupport.ts"

const source = "oracle_data_streams"
const second = (n: number) => beginning + n * 1000
/** A tick each second from the first up to this one. */
const last = 700
const now = second(last) + 400

const wantedOf = (filters: Filters): Wanted => Result.getOrThrow(readWanted(filters, source))
const refused = (filters: Filters) => Result.getOrThrow(Result.flip(readWanted(filters, source))).message

describe("What is asked for of price feeds", () => {
  it("are all of them at their price when nothing is said", () => {
    assert.deepStrictEqual(wantedInWords(wantedOf({})), {
      feeds: coins.map(feedName),
      source,
      price_source: "spot",
      twap_windows: [],
    })
  })

  it("are feeds by any of their names, once each", () => {
    const { feeds } = wantedInWords(wantedOf({ feeds: ["btc", "BTC/USD", "Eth/usd"] }))
    assert.deepStrictEqual(feeds, ["BTC/USD", "ETH/USD"])
  })

  it("what there is none of is a warning beside others, and a refusal alone", () => {
    const { coins: some, warnings } = wantedOf({ feeds: ["BTC", "ABC"] })
    assert.deepStrictEqual(some, ["BTC"])
    assert.match(warnings[0] ?? "", /no feed ABC; there are BTC\/USD, ETH\/USD/)
    assert.match(refused({ feeds: ["ABC", "XYZ/USD"] }), /no feed ABC, XYZ\/USD; there are BTC\/USD/)
  })

  it("averages have their windows, and are not asked for together with prices", () => {
    const wordsOf = (windows: ReadonlyArray<30 | 60>) => wantedInWords(wantedOf({ twap_windows: windows }))
    assert.deepInclude(wordsOf([30]), { price_source: "twap30", twap_windows: [30] })
    assert.deepInclude(wordsOf([60, 60]), { price_source: "twap60", twap_windows: [60] })
    assert.deepInclude(wordsOf([60, 30]), { price_source: "both", twap_windows: [30, 60] })
    assert.deepInclude(wordsOf([]), { price_source: "spot", twap_windows: [] })
    assert.match(refused({ price_source: "spot", twap_windows: [30] }), /not both/)
  })

  it("filters that mean nothing here are said to", () => {
    const { warnings } = wantedOf({ wallets: [], min_size: 5, since: 1, feeds: ["BTC"] })
    assert.deepStrictEqual(warnings, ["price feeds are not filtered by wallets, min_size"])
  })
})

describe("What is replayed of price feeds", () => {
  const memories = new Map(
    coins.map((coin) => {
      const memory = new Memory(source, coin, beginning)
      for (let n = 1; n <= last; n++) memory.add(tickAt(source, coin, n, coin === "DOGE" && n === last - 10))
      return [coin, memory]
    }),
  )
  const memoryOf = (coin: Coin) => memories.get(coin) as Memory
  const grant = (
    asked: Partial<Asked>,
    plan: (typeof plans)[number] = "growth",
    wanted = wantedOf({ feeds: ["BTC"] }),
  ) =>
    grantReplay(
      { since: undefined, snapshotCount: undefined, ticks: undefined, ...asked },
      { wanted, plan, now, memoryOf },
    )
  /** The first second that is sent. */
  const firstOf = (granted: ReturnType<typeof grant>, coin: Coin = "BTC") => {
    const [tick] = memoryOf(coin).after(granted?.after.get(coin) ?? Number.POSITIVE_INFINITY)
    return tick && (tick.at - beginning) / 1000
  }

  it("nothing unless it is asked for", () => {
    assert.isUndefined(grant({}))
    assert.isUndefined(grant({ snapshotCount: 0 }))
    assert.isUndefined(grant({ ticks: {} }))
  })

  it("since includes its own moment, and reaches exactly as far as the plan", () => {
    for (const plan of plans) {
      const oldest = now - allowances[plan].sinceSeconds * 1000
      const within = grant({ since: oldest }, plan)
      assert.deepStrictEqual(within?.words.replay, {
        mode: "since",
        requested: oldest,
        granted: oldest,
        clamped: false,
      })
      assert.isEmpty(within?.warnings)
      const beyond = grant({ since: oldest - 1 }, plan)
      assert.deepInclude(beyond?.words.replay, { granted: oldest, clamped: true })
      assert.lengthOf(beyond?.warnings ?? [], 1)
    }
    assert.strictEqual(firstOf(grant({ since: second(690) })), 690)
    assert.strictEqual(firstOf(grant({ since: second(690) + 1 })), 691)
    assert.strictEqual(firstOf(grant({ since: second(last) })), last)
    assert.isUndefined(firstOf(grant({ since: second(last) + 1 })))
    assert.isUndefined(firstOf(grant({ since: now + 86_400_000 })))
  })

  it("since wins over a count, and seconds are recognised", () => {
    assert.strictEqual(grant({ since: second(690), snapshotCount: 5 })?.words.replay?.mode, "since")
    assert.match(grant({ since: second(690) / 1000 })?.warnings[0] ?? "", /looks like seconds/)
  })

  it("a count is the plan's at most", () => {
    for (const plan of plans) {
      const most = allowances[plan].snapshotCount
      assert.deepInclude(grant({ snapshotCount: most }, plan)?.words.replay, { granted: most, clamped: false })
      const more = grant({ snapshotCount: most + 1 }, plan)
      assert.deepInclude(more?.words.replay, { requested: most + 1, granted: most, clamped: true })
      assert.strictEqual(more?.most, most)
      assert.strictEqual(firstOf(more), last - most + 1)
    }
  })

  it("after the tick that a client has, what it missed, as far as the plan", () => {
    const resumeAt = (n: number, plan: (typeof plans)[number] = "starter") =>
      grant({ ticks: { "BTC/USD": tickId(source, { coin: "BTC", at: second(n) }) } }, plan)
    const reach = allowances.starter.sinceSeconds
    const fine = resumeAt(last - reach + 1)
    assert.deepInclude(fine?.words, { recovered: true })
    assert.notProperty(fine?.words, "missed")
    assert.strictEqual(firstOf(fine), last - reach + 2)
    assert.isUndefined(firstOf(resumeAt(last)))
    const lost = resumeAt(last - reach - 50)
    const until = now - reach * 1000
    assert.strictEqual(lost?.words.recovered, false)
    assert.match(lost?.words.reason ?? "", /120 s on the starter plan/)
    assert.deepStrictEqual(lost?.words.missed, {
      after: second(last - reach - 50),
      until,
      fetch: `/v1/crypto/ticks?symbol=BTC&source=${source}&from=${second(last - reach - 50) + 1}&to=${until}`,
    })
    assert.strictEqual((lost?.after.get("BTC") ?? 0) + 1, until)
  })

  it("what is not in memory is not said to be recovered", () => {
    const wanted = wantedOf({ feeds: ["DOGE"] })
    const resumeAt = (n: number) => grant({ ticks: { DOGE: `${second(n)}-40` } }, "growth", wanted)
    assert.strictEqual(resumeAt(last - 10)?.words.recovered, true)
    const lost = resumeAt(last - 12)
    assert.strictEqual(lost?.words.recovered, false)
    assert.strictEqual(firstOf(lost, "DOGE"), last - 10)
    assert.deepInclude(grant({ since: second(last - 12) }, "growth", wanted)?.words.replay, { clamped: true })
  })

  it("feeds that are not named begin with `since`, or live", () => {
    const wanted = wantedOf({ feeds: ["BTC", "ETH"] })
    const ticks = { btc: tickId(source, { coin: "BTC", at: second(690) }) }
    assert.deepStrictEqual([...(grant({ ticks }, "growth", wanted)?.after ?? [])], [["BTC", second(690)]])
    const both = grant({ ticks, since: second(650) }, "growth", wanted)
    assert.strictEqual(firstOf(both, "BTC"), 691)
    assert.strictEqual(firstOf(both, "ETH"), 650)
  })

  it("ids that cannot be used are said to be so, and lose nothing", () => {
    const future = grant({ ticks: { BTC: `${now + 3_600_000}-0` } })
    assert.strictEqual(future?.words.recovered, false)
    assert.match(future?.words.reason ?? "", /has not come/)
    assert.isEmpty([...(future?.after ?? [])])
    const other = grant({ ticks: { BTC: tickId("platform_oracle", { coin: "ETH", at: second(690) }) } })
    assert.match(other?.warnings[0] ?? "", /is of ETH\/USD from platform_oracle/)
    assert.strictEqual(firstOf(other), 691)
    const unknown = grant({ ticks: { "ABC/USD": "1-0" } })
    assert.strictEqual(unknown?.words.recovered, false)
    assert.match(unknown?.words.reason ?? "", /not among the feeds/)
  })
})
