import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { writeLive } from "#src/catalogue/GameStore.ts"
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
})
