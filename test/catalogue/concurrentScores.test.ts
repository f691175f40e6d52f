import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { writeFromCatalogue, writeLive } from "#src/catalogue/GameStore.ts"
import type { ScoreUpdate } from "#src/domain/Game.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const rounds = 30
const games = 60

const update = (id: string): ScoreUpdate => ({
  id,
  slug: null,
  league: "nba",
  home: null,
  away: null,
  at: null,
  state: {
    status: "inprogress",
    score: "1-0",
    period: "1H",
    elapsed: null,
    turn: null,
    live: true,
    ended: false,
    finishedAt: null,
  },
})

/** What the writer of games reads of an event. */
const event = (id: string, parent: number | null) => {
  const { league, home, away, state } = update(id)
  return {
    slug: `event-${id}`,
    parent,
    game: { id, league, home, away, state, homeTeam: null, awayTeam: null, startsAt: null },
  }
}

layer(testFoundation(), { excludeTestServices: true })("Two writers of scores", (it) => {
  it.effect("do not deadlock over games that are new to both, in whatever order they hear of them", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const log = yield* EventLog
      const write = (updates: ReadonlyArray<ScoreUpdate>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => tx(writeLive(sql, log, updates, now)))
      for (let round = 0; round < rounds; round++) {
        const updates = Array.from({ length: games }, (_, game) => update(`${round}-${game}`))
        yield* Effect.all([write(updates), write(updates.toReversed())], { concurrency: 2, discard: true })
      }
      const [written] = yield* sql<{ count: number }>`select count(*)::int as count from game where score = '1-0'`
      assert.strictEqual(written?.count, rounds * games)
    }),
  )

  it.effect(
    "do not deadlock where one is the catalogue, which writes the events that name games before the others",
    () =>
      Effect.gen(function* () {
        const { tx, sql } = yield* Postgres
        const log = yield* EventLog
        for (let round = 0; round < rounds; round++) {
          const ids = Array.from({ length: games }, (_, game) => `listed-${round}-${game}`)
          const events = ids.map((id, index) => event(id, index % 2 === 0 ? null : 1))
          const now = yield* Clock.currentTimeMillis
          yield* Effect.all(
            [tx(writeFromCatalogue(sql, log, events, now)), tx(writeLive(sql, log, ids.map(update), now))],
            { concurrency: 2, discard: true },
          )
        }
        const [known] = yield* sql<{ count: number }>`
        select count(*)::int as count from game where id like 'listed-%' and score = '1-0'`
        assert.strictEqual(known?.count, rounds * games)
      }),
  )
})
