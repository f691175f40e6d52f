import { Effect } from "effect"
import { lockReplaceable } from "#src/leaderboards/replace.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBlocks } from "./verify/blocks.ts"
import { checkBoards } from "./verify/boards.ts"
import type { Check, Picture } from "./verify/Check.ts"
import { checkCursor } from "./verify/cursor.ts"
import { checkEvents } from "./verify/events.ts"
import { checkPositions } from "./verify/positions.ts"
import { checkHoldings, checkTokens, checkZeroSum } from "./verify/sums.ts"

const notReached: Check = { check: "cursor", ok: false, detail: "the chain has not been reached yet" }

/** Computes everything anew that follows from the facts, and says where the ledger has something else. */
export const verifyLedger = Effect.gen(function* () {
  const { exports: sql } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // One picture of everything, however long it takes and whatever is written meanwhile.
      yield* sql`set transaction isolation level repeatable read read only`
      yield* sql`set local idle_in_transaction_session_timeout = '1min'`
      yield* lockReplaceable(sql, "access share")
      const [cursor] = yield* sql<{ block: number; started_from: number; hash: Uint8Array }>`
        select block, started_from, hash from chain_cursor`
      if (cursor === undefined) return [notReached]
      const { block, hash, started_from: startedFrom } = cursor
      const picture: Picture = { sql, block, hash, startedFrom, depth }
      const checks: ReadonlyArray<Check> = [
        yield* checkCursor(picture),
        yield* checkBlocks(picture),
        yield* checkEvents(picture),
        yield* checkHoldings(picture),
        yield* checkTokens(picture),
        yield* checkZeroSum(picture),
        ...(yield* checkPositions(picture)),
        yield* checkBoards(picture),
      ]
      return checks
    }),
  )
})
