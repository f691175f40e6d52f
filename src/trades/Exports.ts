import { Context, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { makeConcurrencyLimit } from "#src/limits/ConcurrencyLimit.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import type { SharedRunsFull } from "#src/mesh/shared-runs/model.ts"
import type { JoinFailure } from "#src/mesh/shared-runs/waiter.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TradesExport } from "./contracts.ts"
import { ExportEnd, type ExportRange, ExportsBusy, type LineForm } from "./model.ts"
import { exportStartWithin, exportsHeldBytes, exportsPerAccount, exportsPerProcess } from "./settings.ts"
import { tradeStore } from "./TradeStore.ts"

export type ExportFailure = Exclude<JoinFailure, SharedRunsFull> | ExportsBusy

/** A running export. */
export interface Export {
  /** Whether it comes from an earlier request. */
  readonly isKept: boolean
  /** The next chunk; none after the last one. */
  readonly next: Effect.Effect<Option.Option<Buffer>, ExportFailure>
  readonly end: Effect.Effect<ExportEnd, ExportFailure>
}

/** All trades of a wallet, streamed as workers read them. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Runs while the scope is open. Concurrent equal exports share one run across processes. A complete export is kept for a
     * while, unless its range ends at the time of the request and cannot be requested again.
     */
    readonly open: (
      account: AccountId,
      range: ExportRange,
      form: LineForm,
      isRepeatable: boolean,
    ) => Effect.Effect<Export, ExportsBusy | RedisFailure | SqlError, Scope.Scope>
  }
>()("presage/trades/Exports") {
  static readonly layer = Layer.suspend(() => Layer.effect(Exports, make))
}

const busy = ({ mostBytes }: SharedRunsFull) => Effect.fail(new ExportsBusy({ whose: "all", most: mostBytes }))

const readEnd = Schema.decodeUnknownSync(ExportEnd)

const make = Effect.gen(function* () {
  const runs = yield* SharedRuns
  const jobs = yield* Jobs
  const config = yield* Configuration
  const store = tradeStore(yield* Postgres)
  const place = makeConcurrencyLimit<AccountId>()

  const takePlace = (account: AccountId) =>
    Effect.mapError(
      place(account, { account: config.get(exportsPerAccount), server: config.get(exportsPerProcess) }),
      ({ scope, limit }) => new ExportsBusy({ whose: scope, most: limit }),
    )

  const join = (range: ExportRange, form: LineForm, isRepeatable: boolean) =>
    runs
      .join(`trades:${range.wallet}:${range.from}:${range.to}:${form}`, {
        start: (run) => jobs.enqueue(TradesExport, { run, range, form, isRepeatable }),
        startWithin: config.get(exportStartWithin),
        mostBytes: config.get(exportsHeldBytes),
      })
      .pipe(Effect.catchTag("SharedRunsFull", busy))

  /** A kept export is not reused if one of its blocks was replaced since. */
  const stands = Effect.fnUntraced(function* ({ seen }: ExportEnd) {
    return seen !== null && (yield* store.stands(seen))
  })

  return Exports.of({
    open: Effect.fnUntraced(function* (account, range, form, isRepeatable) {
      const stay = yield* Scope.fork(yield* Effect.scope)
      yield* Scope.provide(takePlace(account), stay)
      let joined = yield* join(range, form, isRepeatable)
      const isOld = Option.isSome(joined.kept) && !(yield* stands(readEnd(joined.kept.value)))
      if (isOld) {
        yield* runs.discard(joined.run)
        joined = yield* join(range, form, isRepeatable)
      }
      const { kept, next, end } = joined
      return {
        isKept: Option.isSome(kept),
        next: Effect.catchTag(next, "SharedRunsFull", busy),
        // A client may request its next export on the last byte, before this response has ended here.
        end: Effect.map(end, readEnd).pipe(
          Effect.tap(() => Scope.close(stay, Exit.void)),
          Effect.catchTag("SharedRunsFull", busy),
        ),
      }
    }),
  })
})
