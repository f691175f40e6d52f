import { Clock, Effect } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { BookShard } from "./BookShard.ts"
import { follow } from "./follow.ts"
import { audit, resync } from "./heal.ts"
import { showShard } from "./metrics.ts"
import { PriceMoves } from "./PriceMoves.ts"
import { announce, show } from "./tell.ts"

const measure = Effect.fnUntraced(function* (number: number, shard: BookShard) {
  let counted = 0
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const age = Math.max(0, ...[...shard.connections].map(({ receivedAt }) => now - receivedAt))
    yield* showShard(number, shard.held, age, shard.deltas - counted)
    counted = shard.deltas
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("1 second")))
})

/** Keeps the books of one shard for as long as it runs. */
export const runShard = (number: number, lease: Lease) =>
  Effect.suspend(() => {
    const shard = new BookShard()
    const moves = new PriceMoves()
    return Effect.all(
      [
        follow(number, lease, shard, moves),
        resync(shard),
        audit(shard),
        show(number, lease, shard, moves),
        announce(lease, shard, moves),
        measure(number, shard),
      ],
      { concurrency: "unbounded", discard: true },
    )
  }).pipe(Effect.scoped, Effect.ensuring(showShard(number, 0, 0, 0)))
