import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { toScoreUpdate, WireScore } from "#src/upstream/sports/scoreWire.ts"

const read = (message: object) => toScoreUpdate(Schema.decodeUnknownSync(WireScore)(message))

describe("Live score messages", () => {
  it("are decoded with all fields", () => {
    const message = {
      gameId: 19_439,
      leagueAbbreviation: "nfl",
      slug: "nfl-lac-buf-2026-01-26",
      homeTeam: "LAC",
      awayTeam: "BUF",
      status: "InProgress",
      score: "3-16",
      period: "Q4",
      elapsed: "5:18",
      live: true,
      ended: false,
      last_update: "2026-01-26T18:05:09.123Z",
      turn: "lac",
    }
    assert.deepStrictEqual(read(message), {
      id: "19439",
      slug: "nfl-lac-buf-2026-01-26",
      league: "nfl",
      home: "LAC",
      away: "BUF",
      at: Date.UTC(2026, 0, 26, 18, 5, 9, 123),
      state: {
        status: "inprogress",
        score: "3-16",
        period: "Q4",
        elapsed: "5:18",
        turn: "lac",
        live: true,
        ended: false,
        finishedAt: null,
      },
    })
  })

  it("need only a slug or an id, mark the end, and have the maps won as the score in esports", () => {
    assert.deepInclude(read({ slug: "a-b" }), { id: null, slug: "a-b", at: null })
    const ended = { slug: "cs2-a-b", status: "finished", ended: true, score: "000-000|2-0|Bo3", period: "2/3" }
    const { state } = read({ ...ended, finished_timestamp: "2026-01-26T18:05:09Z" })
    assert.deepInclude(state, {
      status: "finished",
      score: "2-0",
      ended: true,
      finishedAt: Date.UTC(2026, 0, 26, 18, 5, 9),
    })
  })

  it("are rejected if malformed", () => {
    for (const wrong of [{}, { slug: 1 }, { slug: "a", live: "true" }, { slug: "", gameId: -1 }, { slug: "a\0" }])
      assert.throws(() => read(wrong))
  })
})
