import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { listOnce } from "#src/context/listOnce.ts"
import type { GeneratedQuery } from "#src/context/model.ts"
import { statusOfFailure, statusOfSource, TooLate } from "#src/context/model.ts"
import { anyOf, nameOf } from "#src/context/terms.ts"
import { generateMarketQueries, marketQuerySets, type QueriedMarket } from "#src/markets/contextQueries.ts"
import { keywordsOf } from "#src/markets/keywords.ts"
import { maxQueryLength, normalizedQuery, withoutCommands } from "#src/online-search/query.ts"
import { SocialFailed } from "#src/social/model.ts"
import { QueryError } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"
import { generateQueries, querySets } from "#src/sports/contextQueries.ts"
import { type PlayerMarket, playersOf } from "#src/sports/players.ts"

const marketOf = (question: string, sportsType: string | null, volume = 1n, closed = false) =>
  ({ question, sportsType, volume, closed }) satisfies PlayerMarket

interface Named {
  readonly title: string
  readonly home?: string | null
  readonly away?: string | null
  readonly league?: string | null
  readonly markets?: ReadonlyArray<PlayerMarket>
}

const gameOf = ({ title, home = null, away = null, league = null, markets = [] }: Named) => ({
  title,
  eventDate: "2026-11-22",
  game: { home, away, league },
  markets,
})

const listed = (title: string | null, more: Partial<QueriedMarket> = {}): QueriedMarket => ({
  title,
  eventTitle: null,
  eventSlug: null,
  outcomes: ["Yes", "No"],
  category: null,
  tags: [],
  endsAt: null,
  ...more,
})

const texts = (queries: ReadonlyArray<GeneratedQuery>) => queries.map(({ id, query, social }) => [id, query, social])

/** Each query can be asked of both sources as it is. */
const check = (queries: ReadonlyArray<GeneratedQuery>, subject: unknown) => {
  const inputs = JSON.stringify([subject, queries])
  assert.strictEqual(new Set(queries.map(({ id }) => id)).size, queries.length, inputs)
  for (const { query, social, reason } of queries) {
    assert.isNotEmpty(reason)
    assert.strictEqual(query, normalizedQuery(query), inputs)
    assert.isAtMost([...query].length, maxQueryLength)
    assert.isNotEmpty(withoutCommands(query), inputs)
    const translated = translateQuery(social)
    if (translated instanceof QueryError) assert.fail(`${translated.problem}: ${inputs}`)
    assert.isAtMost([...translated.query].length, 512, inputs)
  }
}

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc
    .array(
      fc.constantFrom("OR", "Lakers", "vs.", '"', "(", ")", "-", "from:nba", "“x", "Re:", "!", "$5,000", "🚀", "of"),
      {
        maxLength: 80,
      },
    )
    .map((parts) => parts.join(" ")),
)
const anyName = fc.option(anyText)

describe("Queries about a game", () => {
  const props = [
    marketOf("Anna Bell: Points O/U 24.5", "points", 5n),
    marketOf("Carl Dorn: Anytime Touchdown", "anytime_touchdowns", 7n),
    marketOf("Anna Bell: Rebounds O/U 8.5", "rebounds", 4n),
    marketOf("Eve Fox: Points O/U 9.5", "points", 50n, true),
    marketOf("Warriors vs. Rockets: Total Points Odd or Even", "basketball_odd_even", 99n),
    marketOf("Exact Score: Rockets 2 - 1?", "soccer_exact_score", 99n),
  ]
  const game = gameOf({
    title: "Warriors vs. Rockets",
    home: "Houston Rockets",
    away: "Golden State Warriors",
    league: "nba",
    markets: props,
  })

  it("name both sides, the players of open markets by their volume, and the day", () => {
    assert.deepStrictEqual(playersOf(props), ["Anna Bell", "Carl Dorn"])
    assert.deepStrictEqual(texts(generateQueries(game, "default", 3)), [
      [
        "matchup",
        "Golden State Warriors vs Houston Rockets 2026-11-22",
        '("Golden State Warriors" OR Warriors) ("Houston Rockets" OR Rockets) -filter:retweets',
      ],
      [
        "injuries",
        "Golden State Warriors Houston Rockets injury report",
        '("Golden State Warriors" OR Warriors OR "Houston Rockets" OR Rockets) (injury OR injured OR injuries OR questionable OR doubtful) -filter:retweets',
      ],
      ["players", "Anna Bell Carl Dorn news", '("Anna Bell" OR "Carl Dorn") (news OR injury OR out) -filter:retweets'],
    ])
    for (const set of querySets) {
      const queries = generateQueries(game, set, 5)
      assert.strictEqual(queries.length, 5, set)
      assert.isTrue(queries.some(({ id }) => id === "players"))
      check(queries, set)
    }
  })

  it("without players or sides, are about the title", () => {
    const queries = generateQueries(gameOf({ title: "NBA Champion 2027" }), "default", 5)
    assert.strictEqual(queries[0]?.query, "NBA Champion 2027 2026-11-22")
    assert.isFalse(queries.some(({ id }) => id === "players"))
    const halftime = generateQueries(gameOf({ title: "Ajax vs. Inter - Halftime Result" }), "social", 1)
    assert.strictEqual(halftime[0]?.social, "Ajax Inter -filter:retweets")
  })

  it("can be asked whatever the venue writes", () => {
    fc.assert(
      fc.property(
        fc.record({ title: anyText, home: anyName, away: anyName, league: anyName }),
        fc.array(anyText, { maxLength: 4 }),
        fc.constantFrom(...querySets),
        (named, names, set) => {
          const markets = names.map((name) => marketOf(`${name}: Points O/U 1.5`, "points"))
          check(generateQueries(gameOf({ ...named, markets }), set, 5), named)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("Queries about a market", () => {
  it("name what the question is about", () => {
    assert.deepStrictEqual(keywordsOf("Will the Bank of Japan raise its rate by January 31"), {
      names: ["Bank of Japan"],
      others: ["raise", "rate"],
      all: ["Bank", "Japan", "raise", "rate"],
    })
    assert.deepStrictEqual(keywordsOf("Will Bitcoin be below $86,000 on November 30, 2026").names, ["Bitcoin"])
    assert.deepStrictEqual(keywordsOf("Bitcoin Up or Down - November 18, 10:50AM-10:55AM ET").all, ["Bitcoin"])
    assert.deepStrictEqual(keywordsOf("Will the score be 7-4 at 3PM or 10-11:30pm").all, ["score", "7-4"])
    const market = listed("Will Bitcoin reach $150,000 in December?", {
      eventTitle: "What will Bitcoin hit in December?",
      eventSlug: "bitcoin-december",
      category: "crypto",
      endsAt: new Date("2027-01-01T04:59:00Z"),
    })
    assert.deepStrictEqual(texts(generateMarketQueries(market, "default", 5)), [
      ["question", "Will Bitcoin reach $150,000 in December", 'Bitcoin "$150,000" -filter:retweets'],
      [
        "event",
        "What will Bitcoin hit in December",
        '("What will Bitcoin hit in December" OR url:"polymarket.com/event/bitcoin-december") -filter:retweets',
      ],
      ["news", "Bitcoin $150,000 news", "Bitcoin (news OR breaking OR report) -filter:retweets"],
      [
        "odds",
        "Bitcoin $150,000 odds forecast",
        "Bitcoin (odds OR forecast OR polymarket OR kalshi OR probability) -filter:retweets",
      ],
      ["deadline", "Bitcoin $150,000 December 31", 'Bitcoin ("December 31" OR "Dec 31") -filter:retweets'],
    ])
    const named = listed("Rockets vs. Warriors", { outcomes: ["Rockets", "Warriors"] })
    const outcomes = generateMarketQueries(named, "social", 5).find(({ id }) => id === "outcomes")
    assert.strictEqual(outcomes?.social, "(Rockets OR Warriors) -filter:retweets")
  })

  it("can be asked whatever the venue writes", () => {
    fc.assert(
      fc.property(
        fc.record({
          title: anyName,
          eventTitle: anyName,
          eventSlug: anyName,
          category: anyName,
          outcomes: fc.array(anyText, { maxLength: 5 }),
          tags: fc.array(anyText, { maxLength: 3 }),
          endsAt: fc.option(fc.date({ noInvalidDate: true })),
        }),
        fc.constantFrom(...marketQuerySets),
        ({ title, ...more }, set) => check(generateMarketQueries(listed(title, more), set, 5), more),
      ),
      { numRuns: 300 },
    )
  })
})

describe("Terms, lists and statuses of a bundle", () => {
  it("quotes what is not a plain word, and cuts long names", () => {
    assert.strictEqual(
      anyOf(["Ajax", "OR", "St. Louis", "“x” y", "…", "Ajax"]),
      '(Ajax OR "OR" OR "St. Louis" OR "x y")',
    )
    assert.strictEqual(nameOf("word ".repeat(30)), "word word word word word word word word word word word word")
    assert.strictEqual([...nameOf("x".repeat(100))].length, 60)
  })

  it("lists a row once, for the first query that shows it", () => {
    const rows = [
      ["a", "b", "c"],
      ["b", "c", "d"],
      ["a", "b", "c", "d"],
    ]
    assert.deepStrictEqual(
      listOnce(rows, (row) => row, 2),
      [["a", "b"], ["c", "d"], []],
    )
  })

  it("is partial if some queries were answered", () => {
    assert.strictEqual(statusOfSource(["ok", "ok"]), "ok")
    assert.strictEqual(statusOfSource(["ok", "failed"]), "partial")
    assert.strictEqual(statusOfSource(["partial", "partial"]), "partial")
    assert.strictEqual(statusOfSource(["quota_exhausted", "failed"]), "quota_exhausted")
    assert.strictEqual(statusOfSource([]), "ok")
    const failed = (kind: SocialFailed["kind"]) => statusOfFailure(new SocialFailed({ kind, detail: "" }))
    assert.deepStrictEqual((["unconfigured", "budget", "rate-limited", "down"] as const).map(failed), [
      "unavailable",
      "unavailable",
      "rate_limited",
      "failed",
    ])
    assert.strictEqual(statusOfFailure(new TooLate({ seconds: 10 })), "failed")
  })
})
