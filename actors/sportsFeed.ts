import { Clock, Effect, Layer, Metric, Stream } from "effect"
import { gameStore } from "#src/catalogue/GameStore.ts"
import { actor } from "#src/mesh/Actor.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Sports } from "#src/upstream/sports/Sports.ts"

const lastHeard = Metric.gauge("presage_sports_heard_timestamp_seconds", {
  description: "When the live scores last said something about a game",
})

/** Follows the scores of all games; what is missed while the socket is away, the catalogue tells. */
export const sportsFeed = actor("sports-feed", (lease) =>
  Effect.gen(function* () {
    const sports = yield* Sports
    const games = yield* gameStore
    yield* sports.scores.pipe(
      Stream.groupedWithin(100, "50 millis"),
      Stream.runForEach((news) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* retryTransient()(lease.tx(games.writeLive(news, now)))
          yield* Metric.update(lastHeard, now / 1000)
        }),
      ),
    )
  }),
).pipe(Layer.provide(Sports.layer))
