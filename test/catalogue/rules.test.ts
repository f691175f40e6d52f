import { assert, describe, it } from "@effect/vitest"
import { applyCatalogue, applyLive, catalogueLag, type GameUpdate, type KnownGame } from "#src/catalogue/gameState.ts"
import { upDownSlugs } from "#src/catalogue/upDownSlugs.ts"
import { readScore } from "#src/domain/Game.ts"

const unknownState = {
  status: null,
  score: null,
  period: null,
  elapsed: null,
  turn: null,
  live: null,
  ended: null,
  finishedAt: null,
}
const state = { ...unknownState, status: "inprogress", score: "1-0", period: "1H", elapsed: "12:00", live: true }
const known: KnownGame = { id: "7", state, sourceAt: 1_000, receivedAt: 50_000 }
const update = (at: number | null, more: object): GameUpdate => ({
  id: "7",
  slug: "a-b",
  league: null,
  home: null,
  away: null,
  at,
  state: { ...state, ...more },
})

describe("Game updates", () => {
  it("are announced if the score, period or status changes, not for the game clock alone", () => {
    assert.isFalse(applyLive(known, update(2_000, { elapsed: "13:00" }), 60_000)?.announced)
    assert.isTrue(applyLive(known, update(2_000, { score: "1-1" }), 60_000)?.announced)
    assert.isTrue(applyLive(known, update(2_000, { period: "HT" }), 60_000)?.announced)
    assert.isTrue(applyLive(known, update(2_000, { status: "suspended" }), 60_000)?.announced)
    assert.isTrue(applyLive(undefined, update(2_000, {}), 60_000)?.announced)
  })

  it("are ignored if older than the last one, and a repeated update changes nothing", () => {
    assert.isUndefined(applyLive(known, update(999, { score: "0-0" }), 60_000))
    const again = applyLive(known, update(1_000, {}), 60_000)
    assert.isFalse(again?.announced)
    assert.deepStrictEqual(again?.next.state, known.state)
  })

  it("keep the last value of fields that are left out", () => {
    const change = applyLive(known, update(2_000, { score: null, period: null, status: null }), 60_000)
    assert.isFalse(change?.announced)
    assert.deepInclude(change?.next.state, { score: "1-0", period: "1H", status: "inprogress" })
  })

  it("from the catalogue count only after the live source was silent, and reset its time", () => {
    const fromCatalogue = { ...state, score: "2-0" }
    assert.isUndefined(applyCatalogue(known, fromCatalogue, 50_000 + catalogueLag - 1))
    const change = applyCatalogue(known, fromCatalogue, 50_000 + catalogueLag)
    assert.isTrue(change?.announced)
    assert.isNull(change?.next.sourceAt ?? null)
    const first = applyCatalogue({ id: "7", state: unknownState, sourceAt: null, receivedAt: null }, fromCatalogue, 0)
    assert.isFalse(first?.announced)
    assert.strictEqual(first?.next.state.score, "2-0")
  })

  it("have the maps won as the score in esports", () => {
    assert.strictEqual(readScore("000-000|2-0|Bo3"), "2-0")
    assert.strictEqual(readScore("2-1"), "2-1")
    assert.isNull(readScore(""))
  })
})

describe("upDownSlugs", () => {
  it("returns the slugs of the current and next window of each up/down series", () => {
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
