import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { toScoreNews, WireScore } from "#src/upstream/sports/Sports.ts"

const read = (message: object) => toScoreNews(Schema.decodeUnknownSync(WireScore)(message))

describe("Messages of the socket of scores", () => {
  it("are read with everything that they may carry", () => {
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
      id: 19_439,
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

  it("need nothing but a name, tell the end, and count maps in esports", () => {
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

  it("are refused when they are wrong", () => {
    for (const wrong of [{}, { slug: 1 }, { slug: "a", live: "true" }, { slug: "a", gameId: "7" }, { slug: "a\0" }])
      assert.throws(() => read(wrong))
  })
})
