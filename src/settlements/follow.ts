import { Clock, Duration, Effect, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { countDropped, countSeen, setPending } from "./metrics.ts"
import { Settlements } from "./Settlements.ts"
import { dropAfter } from "./settings.ts"

/** Maximum number of matches per write; more gather during a write. */
const matchesPerWrite = 1_024
const dropEvery = "1 second"
const deleteEvery = "10 minutes"

/** The event log drops whole days, so an event may outlive the retention by a day and then wait for the next deletion. */
const eventGracePeriod = Duration.days(2)

/** Stores every match in the mempool and drops those whose block does not arrive. */
export const followPending = Effect.fnUntraced(function* (lease: Lease) {
  const node = yield* ChainNode
  const settlements = yield* Settlements
  const config = yield* Configuration
  const clock = yield* Clock.Clock

  const store = node.pending.pipe(
    Stream.map((match) => ({ match, at: clock.currentTimeMillisUnsafe() })),
    Stream.buffer({ capacity: matchesPerWrite }),
    Stream.runForEachArray((sightings) =>
      Effect.flatMap(retryTransient()(settlements.write(lease, sightings)), countSeen),
    ),
  )

  const drop = Effect.gen(function* () {
    const pending = yield* settlements.pending
    yield* setPending(pending)
    if (pending > 0) yield* countDropped(yield* settlements.drop(lease, config.get(dropAfter)))
  })

  const deleteOld = Effect.gen(function* () {
    const kept = Duration.sum(config.get(eventLogRetention), eventGracePeriod)
    const before = clock.currentTimeMillisUnsafe() - Duration.toMillis(kept)
    yield* Effect.repeat(settlements.deleteOld(lease, before), { while: (more) => more })
  })

  const every = <E, R>(pause: Duration.Input, work: Effect.Effect<void, E, R>) =>
    Effect.forever(Effect.andThen(retryTransient()(work), Effect.sleep(pause)))

  yield* Effect.all([store, every(dropEvery, drop), every(deleteEvery, deleteOld)], {
    concurrency: "unbounded",
    discard: true,
  }).pipe(Effect.ensuring(setPending(0)))
})
