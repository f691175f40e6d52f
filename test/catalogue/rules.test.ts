import { assert, describe, it } from "@effect/vitest"
import { upDownSlugs } from "#src/catalogue/upDownSlugs.ts"
import {
  catalogueLag,
  type GameNews,
  hearCatalogue,
  hearLive,
  type KnownGame,
  readScore,
  unknownState,
} from "#src/domain/gameState.ts"

const state = { ...unknownState, status: "inprogress", score: "1-0", period: "1H", elapsed: "12:00", live: true }
const known: KnownGame = { id: 7, state, sourceAt: 1_000, heardAt: 50_000 }
const news = (at: number | null, more: object): GameNews => ({
  id: 7,
  slug: "a-b",
  league: null,
  home: null,
  away: null,
  at,
  state: { ...state, ...more },
})

describe("What is heard of a game", () => {
  it("is announced when score, period or status differ, and not for the clock alone", () => {
    assert.isFalse(hearLive(known, news(2_000, { elapsed: "13:00" }), 60_000)?.announced)
    assert.isTrue(hearLive(known, news(2_000, { score: "1-1" }), 60_000)?.announced)
    assert.isTrue(hearLive(known, news(2_000, { period: "HT" }), 60_000)?.announced)
    assert.isTrue(hearLive(known, news(2_000, { status: "suspended" }), 60_000)?.announced)
    assert.isTrue(hearLive(undefined, news(2_000, {}), 60_000)?.announced)
  })

  it("does not count when newer things were heard before, and the same twice changes nothing", () => {
    assert.isUndefined(hearLive(known, news(999, { score: "0-0" }), 60_000))
    const again = hearLive(known, news(1_000, {}), 60_000)
    assert.isFalse(again?.announced)
    assert.deepStrictEqual(again?.next.state, known.state)
  })

  it("keeps what was left out", () => {
    const verdict = hearLive(known, news(2_000, { score: null, period: null, status: null }), 60_000)
    assert.isFalse(verdict?.announced)
    assert.deepInclude(verdict?.next.state, { score: "1-0", period: "1H", status: "inprogress" })
  })

  it("from the catalogue counts only once the live source has been quiet, and lets an earlier time count again", () => {
    const said = { ...state, score: "2-0" }
    assert.isUndefined(hearCatalogue(known, said, 50_000 + catalogueLag - 1))
    const verdict = hearCatalogue(known, said, 50_000 + catalogueLag)
    assert.isTrue(verdict?.announced)
    assert.isNull(verdict?.next.sourceAt ?? null)
    const first = hearCatalogue({ id: 7, state: unknownState, sourceAt: null, heardAt: null }, said, 0)
    assert.isFalse(first?.announced)
    assert.strictEqual(first?.next.state.score, "2-0")
  })

  it("has a score in esports that is the maps won", () => {
    assert.strictEqual(readScore("000-000|2-0|Bo3"), "2-0")
    assert.strictEqual(readScore("2-1"), "2-1")
    assert.isNull(readScore(""))
  })
})

describe("Windows of rising and falling prices", () => {
  it("are named after the series and their beginning", () => {
    const now = Date.UTC(2026, 10, 15, 5, 17, 3)
    assert.deepStrictEqual(upDownSlugs(["btc-up-or-down-5m", "eth-up-or-down-15m", "xrp-up-or-down-4h"], now), [
      "btc-updown-5m-1794719700",
      "btc-updown-5m-1794720000",
      "eth-updown-15m-1794719700",
      "eth-updown-15m-1794720600",
      "xrp-updown-4h-1794715200",
      "xrp-updown-4h-1794729600",
    ])
    assert.deepStrictEqual(upDownSlugs(["bitcoin-up-or-down-hourly", "nba-2026"], now), [])
  })
})
