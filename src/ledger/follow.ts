import { Effect, Option, Schedule } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { withTightHeap } from "#src/platform/process/heapGrowth.ts"
import { firstBlock } from "./firstBlock.ts"
import { followFinality } from "./followFinality.ts"
import { beginAt } from "./following/advance.ts"
import { backfill, isFarBehind } from "./following/backfill.ts"
import { makeFollower, pollEvery } from "./following/Follower.ts"
import { followHead } from "./following/followHead.ts"
import { checkChain, isHalting } from "./halts.ts"
import { Ledger } from "./Ledger.ts"

const retryHaltedAfter = "1 minute"

/** Follows the chain from the cursor: first in wide ranges, then block by block. */
const follow = Effect.fnUntraced(function* (lease: Lease) {
  const follower = yield* makeFollower(lease)
  const { ledger, node, began } = follower
  yield* checkChain
  const first = yield* firstBlock
  const firstHeader = yield* node.header(first)
  if (firstHeader !== undefined) yield* ledger.beginCoverage(lease, began, firstHeader)
  const isLong = isFarBehind(follower, first - 1, (yield* node.head).number)
  if (isLong && Option.isNone(yield* ledger.cursor)) yield* ledger.deferUpkeep(lease)
  yield* withTightHeap(backfill(follower, first))
  const restored = yield* ledger.restoreUpkeep
  if (restored > 0) yield* Effect.logInfo(`the backfill is complete; ${restored} indexes restored`)
  if (Option.isNone(yield* ledger.cursor)) yield* beginAt(follower, first)
  yield* Effect.all([followHead(follower), followFinality(lease)], { concurrency: "unbounded", discard: true })
})

/**
 * Follows the chain. A reorganisation that is too deep, or another chain, halts the ledger until an operator acts; it is
 * retried meanwhile.
 */
export const followChain = Effect.fnUntraced(function* (lease: Lease) {
  const ledger = yield* Ledger
  const hash = Effect.map(ledger.cursor, (cursor) => Option.getOrUndefined(cursor)?.hash)

  const awaitOperator = Effect.flatMap(hash, (halted) =>
    Effect.raceFirst(
      Effect.sleep(retryHaltedAfter),
      Effect.repeat(hash, { until: (now) => now !== halted, schedule: Schedule.spaced(pollEvery) }),
    ),
  )
  yield* follow(lease).pipe(
    Effect.tapError((failure) =>
      isHalting(failure)
        ? Effect.logError(failure.message).pipe(
            Effect.andThen(ledger.setHead(lease, failure.block, failure.message)),
            Effect.andThen(awaitOperator),
          )
        : Effect.void,
    ),
    Effect.retry({ while: isHalting }),
  )
})
