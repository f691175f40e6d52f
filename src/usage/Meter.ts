import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient, type TxError } from "#src/platform/sql/sqlFailure.ts"
import { Gathered } from "./Gathered.ts"
import { usageFlush } from "./settings.ts"
import { forgetWriters, type Portion, write } from "./UsageStore.ts"

/** Something that an account used. */
export interface Entry {
  readonly account: AccountId
  readonly key: KeyId
  /** A short word for a group of endpoints: `crypto`, `wallets`, `stream`. */
  readonly family: string
  /** 1 where nothing is said; 0 for bytes of a stream that was counted before. */
  readonly requests?: number
  readonly bytes?: number
}

const roundsPerCleaning = 1000

/** How long the last portion may take when the process ends: well within what a shutdown is given past its grace. */
const lastPatience = "5 seconds"

/** Adds up what accounts use, and writes it down every few seconds. */
export class Meter extends Context.Service<
  Meter,
  {
    /** For the path of every request: adds to a number in memory. */
    readonly count: (entry: Entry) => void
    /** Writes all that has been counted so far. What cannot be written is kept for the next time. */
    readonly flush: Effect.Effect<void, TxError>
  }
>()("presage/usage/Meter") {
  /**
   * Writes the rest when it closes, so it has to close after all who count: provide it to the HTTP server
   * (`ApiServer.pipe(Layer.provideMerge(Meter.layer))`), whose drain then comes first. Merged beside the server it
   * would close at the same time and lose what the last requests used.
   */
  static readonly layer = Layer.effect(
    Meter,
    Effect.gen(function* () {
      const config = yield* Configuration
      const postgres = yield* Postgres
      const clock = yield* Clock.Clock
      const writer = randomUUID()
      const gathered = new Gathered()
      const oneAtATime = yield* Semaphore.make(1)
      /** Taken out of what is gathered, and perhaps written: until that is known it stays as it is. */
      let open: Portion | undefined
      let number = 0n
      let round = 0
      let hasFailed = false

      const unwritten = () => (open?.rows ?? []).reduce((sum, row) => sum + row.requests, BigInt(gathered.requests))

      const writeOpen = Effect.suspend(() => {
        if (open === undefined) return Effect.void
        return Effect.flatMap(write(postgres, open), (strangers) => {
          open = undefined
          return strangers.length === 0
            ? Effect.void
            : Effect.logWarning(
                `usage is left out that belongs to no key (${strangers.length} sums, the first of ${strangers[0]?.key_id})`,
              )
        })
      })

      const flush = oneAtATime.withPermit(
        Effect.gen(function* () {
          yield* writeOpen
          if (gathered.isEmpty) return
          open = { writer, number: ++number, rows: gathered.take() }
          yield* writeOpen
        }),
      )

      // Once for each outage. Defects as well: what they concern stays here too, and the loop must not end.
      const report = (failure: unknown) =>
        Effect.suspend(() => {
          const log = hasFailed ? Effect.logDebug : Effect.logWarning
          hasFailed = true
          return log(`usage is kept in memory, because it cannot be written: ${describe(failure)}`)
        })
      const once = Effect.gen(function* () {
        yield* flush
        if (round++ % roundsPerCleaning === 0) yield* Effect.ignore(forgetWriters(postgres, writer))
        hasFailed = false
      }).pipe(Effect.catch(report), Effect.catchDefect(report))

      const giveUp = (failure: unknown) =>
        Effect.logError(`usage of ${unwritten()} requests is lost, because it cannot be written: ${describe(failure)}`)
      const last = abandonAfter(retryTransient(lastPatience)(flush), lastPatience, () => "no answer").pipe(
        Effect.catch(giveUp),
        Effect.catchDefect(giveUp),
      )
      // Before the loop is started, so that it comes after the loop has ended.
      yield* Effect.addFinalizer(() => last)
      const pause = Effect.suspend(() => Effect.sleep(config.get(usageFlush)))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, once)))
      return Meter.of({
        count: ({ account, key, family, requests = 1, bytes = 0 }) =>
          gathered.add(clock.currentTimeMillisUnsafe(), account, key, family, requests, bytes),
        flush,
      })
    }),
  )
}
