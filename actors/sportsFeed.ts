import { Clock, Effect, Layer, Metric, Stream } from "effect"
import * as GameStore from "#src/catalogue/GameStore.ts"
import { actor } from "#src/mesh/Actor.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Sports } from "#src/upstream/sports/Sports.ts"

const lastReceived = Metric.gauge("presage_sports_heard_timestamp_seconds", {
  description: "Time of the last message of the live score feed",
})

/** Follows the scores of all games. The catalogue fills in what is missed while the socket is down. */
export const sportsFeed = actor("sports-feed", (lease) =>
  Effect.gen(function* () {
    const sports = yield* Sports
    const { sql } = yield* Postgres
    const log = yield* EventLog
    yield* sports.scores.pipe(
      Stream.groupedWithin(100, "50 millis"),
      Stream.runForEach((updates) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* retryTransient()(lease.tx(GameStore.writeLive(sql, log, updates, now)))
          yield* Metric.update(lastReceived, now / 1000)
        }),
      ),
    )
  }),
).pipe(Layer.provide(Sports.layer))
