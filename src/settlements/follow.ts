import { Clock, Duration, Effect, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { countDropped, countSeen, showPending } from "./metrics.ts"
import { SettlementStore } from "./SettlementStore.ts"
import { dropAfter } from "./settings.ts"

/** Most matches that are written together; while one lot is written the next gathers. */
const mostAtOnce = 1_024
const lookEvery = "1 second"
const tidyEvery = "10 minutes"

/** The log drops whole days, so that an event may outlive the retention by one and then wait for its turn. */
const eventsLinger = Duration.days(2)

/** Writes down every match that the mempool shows, and gives up those whose block does not come. */
export const followPending = Effect.fnUntraced(function* (lease: Lease) {
  const node = yield* ChainNode
  const store = yield* SettlementStore
  const config = yield* Configuration
  const clock = yield* Clock.Clock

  const hear = node.pending.pipe(
    Stream.map((match) => ({ match, at: clock.currentTimeMillisUnsafe() })),
    Stream.buffer({ capacity: mostAtOnce }),
    Stream.runForEachArray((sightings) => Effect.flatMap(retryTransient()(store.write(lease, sightings)), countSeen)),
  )

  const look = Effect.gen(function* () {
    const pending = yield* store.pending
    yield* showPending(pending)
    if (pending > 0) yield* countDropped(yield* store.drop(lease, config.get(dropAfter)))
  })

  const tidy = Effect.gen(function* () {
    const kept = Duration.sum(config.get(eventLogRetention), eventsLinger)
    const before = clock.currentTimeMillisUnsafe() - Duration.toMillis(kept)
    yield* Effect.repeat(store.forget(lease, before), { while: (more) => more })
  })

  const every = <E, R>(pause: Duration.Input, work: Effect.Effect<void, E, R>) =>
    Effect.forever(Effect.andThen(retryTransient()(work), Effect.sleep(pause)))

  yield* Effect.all([hear, every(lookEvery, look), every(tidyEvery, tidy)], {
    concurrency: "unbounded",
    discard: true,
  }).pipe(Effect.ensuring(showPending(0)))
})
