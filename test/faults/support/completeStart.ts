import assert from "node:assert/strict"
import { Effect } from "effect"
import { eventually } from "#test/support/processes/sandbox.ts"
import type { Unready } from "./home.ts"
import { isAtHead, judgeLedger } from "./ledger.ts"
import { patience } from "./patience.ts"
import { servicesOn } from "./service.ts"

const headWithin = 60_000 * patience

/** Waits until the ledger of a running instance is at the venue's head, and compares the two. */
export const judgeAtHead = Effect.fnUntraced(function* (home: Unready) {
  const { databaseUrl, redisUrl } = yield* home.stores
  yield* Effect.gen(function* () {
    yield* home.venue.settle
    yield* eventually(
      "it is at the newest block",
      headWithin,
      Effect.orElseSucceed(isAtHead(home.venue), () => false),
    )
    assert.deepEqual(yield* judgeLedger(home.venue), { lost: 0, twice: 0, wrong: [] })
  }).pipe(Effect.scoped, Effect.provide(servicesOn(databaseUrl, redisUrl, "presage")))
})

/** Starts an instance in the directory, and judges its ledger. */
export const completeStart = Effect.fnUntraced(function* (home: Unready) {
  yield* home.start
  yield* home.awaitReady
  yield* judgeAtHead(home)
})
