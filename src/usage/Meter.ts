import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient, type TxError } from "#src/platform/sql/sqlFailure.ts"
import { usageFlush } from "./settings.ts"
import { UsageBuffer } from "./UsageBuffer.ts"
import * as UsageStore from "./UsageStore.ts"

/** Usage of an account. */
export interface UsageEntry {
  readonly account: AccountId
  readonly key: KeyId
  /** Group of endpoints: `crypto`, `wallets`, `stream`. */
  readonly family: string
  /** 1 by default; 0 for bytes of a stream that is already counted. */
  readonly requests?: number
  readonly bytes?: number
}

const roundsPerCleanup = 1000

/** Time for the last batch at shutdown: well within the time a shutdown has after its grace. */
const finalTimeout = "5 seconds"

/** Sums up the usage of accounts and stores it every few seconds. */
export class Meter extends Context.Service<
  Meter,
  {
    /** Adds to a number in memory; cheap enough for every request. */
    readonly count: (entry: UsageEntry) => void
    /** Stores everything counted so far. Usage that cannot be stored is kept for the next flush. */
    readonly flush: Effect.Effect<void, TxError>
  }
>()("presage/usage/Meter") {
  /**
   * Stores the rest when it closes, so it has to close after everything that counts: provide it to the HTTP server
   * (`ApiServer.pipe(Layer.provideMerge(Meter.layer))`), which then drains first. Merged beside the server it would close
   * at the same time and lose the usage of the last requests.
   */
  static readonly layer = Layer.effect(
    Meter,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { sql, tx } = yield* Postgres
      const clock = yield* Clock.Clock
      const writer = randomUUID()
      const buffer = new UsageBuffer()
      const oneAtATime = yield* Semaphore.make(1)
      /** Removed from the buffer and maybe stored already: unchanged until that is known. */
      let open: UsageStore.UsageBatch | undefined
      let number = 0n
      let round = 0
      let hasFailed = false

      const unwritten = () => (open?.rows ?? []).reduce((sum, row) => sum + row.requests, BigInt(buffer.requests))

      const writeOpen = Effect.suspend(() => {
        if (open === undefined) return Effect.void
        return Effect.flatMap(tx(UsageStore.write(sql, open)), (unknown) => {
          open = undefined
          return unknown.length === 0
            ? Effect.void
            : Effect.logWarning(
                `skipped usage of unknown keys (${unknown.length} sums, the first of ${unknown[0]?.key_id})`,
              )
        })
      })

      const flush = oneAtATime.withPermit(
        Effect.gen(function* () {
          yield* writeOpen
          if (buffer.isEmpty) return
          open = { writer, number: ++number, rows: buffer.take() }
          yield* writeOpen
        }),
      )

      // Warns once per outage. Also for defects: their usage stays buffered too, and the loop must go on.
      const report = (failure: unknown) =>
        Effect.suspend(() => {
          const log = hasFailed ? Effect.logDebug : Effect.logWarning
          hasFailed = true
          return log(`usage is kept in memory because it cannot be stored: ${describe(failure)}`)
        })
      const once = Effect.gen(function* () {
        yield* flush
        if (round++ % roundsPerCleanup === 0) yield* Effect.ignore(UsageStore.deleteOldWriters(sql, writer))
        hasFailed = false
      }).pipe(Effect.catch(report), Effect.catchDefect(report))

      const reportLoss = (failure: unknown) =>
        Effect.logError(`lost usage of ${unwritten()} requests because it cannot be stored: ${describe(failure)}`)
      const last = abandonAfter(retryTransient(finalTimeout)(flush), finalTimeout, () => "no answer").pipe(
        Effect.catch(reportLoss),
        Effect.catchDefect(reportLoss),
      )
      // Added before the loop starts, so that it runs after the loop has ended.
      yield* Effect.addFinalizer(() => last)
      const pause = Effect.suspend(() => Effect.sleep(config.get(usageFlush)))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, once)))
      return Meter.of({
        count: ({ account, key, family, requests = 1, bytes = 0 }) =>
          buffer.add(clock.currentTimeMillisUnsafe(), account, key, family, requests, bytes),
        flush,
      })
    }),
  )
}
