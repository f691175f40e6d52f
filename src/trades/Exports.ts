import { Context, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import { makePlaces } from "#src/limits/Places.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import type { FlightsFull } from "#src/mesh/shared-runs/model.ts"
import type { JoinFailure } from "#src/mesh/shared-runs/wait.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TradesExport } from "./contracts.ts"
import { ExportEnd, type ExportRange, ExportsBusy, type LineForm } from "./model.ts"
import { exportBoarding, exportsPerAccount, exportsPerProcess, exportUnderWayBytes } from "./settings.ts"
import { tradeStore } from "./TradeStore.ts"

export type ExportFailure = Exclude<JoinFailure, FlightsFull> | ExportsBusy

/** An export as it comes. */
export interface Export {
  /** Whether it was made before, for somebody else. */
  readonly isKept: boolean
  /** The next piece; nothing when that was all. */
  readonly next: Effect.Effect<Option.Option<Buffer>, ExportFailure>
  readonly end: Effect.Effect<ExportEnd, ExportFailure>
}

/** All trades of a wallet, found by workers, as they find them. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Lasts as long as the scope. Equal ones are made once, for all processes, and kept for a while if they are whole and
     * somebody may ask for the very same again, which nobody does where a range ends at the moment of the question.
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

const busy = ({ mostBytes }: FlightsFull) => Effect.fail(new ExportsBusy({ whose: "all", most: mostBytes }))

const readEnd = Schema.decodeUnknownSync(ExportEnd)

const make = Effect.gen(function* () {
  const flights = yield* Flights
  const jobs = yield* Jobs
  const config = yield* Configuration
  const store = tradeStore(yield* Postgres)
  const place = makePlaces<AccountId>()

  const takePlace = (account: AccountId) =>
    Effect.mapError(
      place(account, { account: config.get(exportsPerAccount), server: config.get(exportsPerProcess) }),
      ({ whose, most }) => new ExportsBusy({ whose, most }),
    )

  const join = (range: ExportRange, form: LineForm, isRepeatable: boolean) =>
    flights
      .join(`trades:${range.wallet}:${range.from}:${range.to}:${form}`, {
        start: (flight) => jobs.enqueue(TradesExport, { flight, range, form, isRepeatable }),
        boarding: config.get(exportBoarding),
        mostBytes: config.get(exportUnderWayBytes),
      })
      .pipe(Effect.catchTag("FlightsFull", busy))

  /** What was found in blocks that were replaced since is not shown again. */
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
        yield* flights.forget(joined.flight)
        joined = yield* join(range, form, isRepeatable)
      }
      const { kept, next, end } = joined
      return {
        isKept: Option.isSome(kept),
        next: Effect.catchTag(next, "FlightsFull", busy),
        // Whoever has the last byte may ask for the next export at once, which is before the answer is over here.
        end: Effect.map(end, readEnd).pipe(
          Effect.tap(() => Scope.close(stay, Exit.void)),
          Effect.catchTag("FlightsFull", busy),
        ),
      }
    }),
  })
})
