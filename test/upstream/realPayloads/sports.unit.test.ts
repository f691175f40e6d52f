import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { applyLive, type KnownGame } from "#src/catalogue/gameState.ts"
import { toScoreUpdate, WireScore } from "#src/upstream/sports/scoreWire.ts"

const read = (frame: object) => toScoreUpdate(Schema.decodeUnknownSync(WireScore)(frame))

const soccer = {
  gameId: 90106111,
  leagueAbbreviation: "kor",
  homeTeam: "A",
  awayTeam: "B",
  status: "InProgress",
  score: "2-1",
  elapsed: "74",
  period: "2H",
  live: true,
  ended: false,
}

const cricket = {
  metadataGameId: "id2703438269077680",
  leagueAbbreviation: "grand slam",
  score: "121/4",
  period: "Live",
  elapsed: "",
  live: true,
  ended: false,
}

describe("Captured score frames", () => {
  it("A1: scores without a slug are kept, by game id", () => {
    assert.deepInclude(read(soccer), { id: "90106111", slug: null, league: "kor", at: null })
    assert.deepInclude(read({ ...soccer, slug: null }), { id: "90106111", slug: null })
    assert.deepInclude(read(cricket), { id: "id2703438269077680", league: "grand slam" })
    assert.deepInclude(read({ ...soccer, gameId: "1000170151LIVE2026" }), { id: "1000170151LIVE2026" })
    assert.deepInclude(read(cricket).state, { elapsed: null, period: "Live" })
  })

  it("A3: the end is read from finishedTimestamp with nine decimals, and times from updatedAt", () => {
    const ended = { ...soccer, ended: true, live: false, status: "finished", period: "FT" }
    const finishedAt = Date.UTC(2026, 9, 1, 12, 30, 5, 123)
    for (const name of ["finishedTimestamp", "finished_timestamp"])
      assert.strictEqual(read({ ...ended, [name]: "2026-10-01T12:30:05.123456789Z" }).state.finishedAt, finishedAt)
    assert.strictEqual(read({ ...soccer, updatedAt: "2026-10-01T12:30:05.123Z" }).at, finishedAt)
    assert.isNull(read({ ...soccer, updatedAt: "" }).at)
  })

  it("A3: without times, an update from an earlier part of the game is ignored", () => {
    const received = (more: object) => {
      const { id, ...update } = read({ ...soccer, ...more })
      return { ...update, id: id ?? "" }
    }
    const known = (more: object): KnownGame => {
      const next = applyLive(undefined, received(more), 1_000)?.next
      assert.isDefined(next)
      return next as KnownGame
    }
    assert.isUndefined(applyLive(known({ ended: true, live: false, period: "FT" }), received({}), 2_000))
    assert.isUndefined(applyLive(known({}), received({ period: "1H", score: "1-1" }), 2_000))
    assert.isUndefined(applyLive(known({ period: "2/3" }), received({ period: "1/3" }), 2_000))
    assert.isTrue(applyLive(known({ period: "HT" }), received({}), 2_000)?.announced)
    assert.isTrue(applyLive(known({ period: "Q2" }), received({ period: "HT" }), 2_000)?.announced, "in basketball")
    assert.isTrue(applyLive(known({ period: "HT" }), received({ period: "Q3" }), 2_000)?.announced)
    assert.isTrue(applyLive(known({}), received({ score: "1-1" }), 2_000)?.announced, "a goal is withdrawn")
    assert.isFalse(applyLive(known({}), received({}), 2_000)?.announced, "the same frame again")
    const timed = { ...known({}), sourceAt: 5_000 }
    assert.strictEqual(applyLive(timed, received({ score: "3-1" }), 6_000)?.next.sourceAt, 5_000)
  })
})
