import { Context, Duration, Effect, Exit, Layer, Option, Schema, Scope } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import type { CoverageStart } from "#src/ledger/coverage/CoverageStore.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { newestSecond } from "#src/ledger/newestSecond.ts"
import { makeConcurrencyLimit } from "#src/limits/ConcurrencyLimit.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { keys } from "#src/mesh/Keys.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import type { SharedRunsFull } from "#src/mesh/shared-runs/model.ts"
import type { JoinFailure } from "#src/mesh/shared-runs/waiter.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, type RedisFailure } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TradesExport } from "./contracts.ts"
import { ExportEnd, type ExportRange, ExportsBusy, type LineForm } from "./model.ts"
import { exportCache, exportStartWithin, exportsHeldBytes, exportsPerAccount, exportsPerProcess } from "./settings.ts"
import { tradeStore } from "./TradeStore.ts"

export type ExportFailure = Exclude<JoinFailure, SharedRunsFull> | ExportsBusy

/** A running export. */
export interface Export {
  /** Whether it comes from an earlier request. */
  readonly isKept: boolean
  /** The last second that it covers: the requested one, or that of the newest block if this is earlier. */
  readonly to: number
  /** Where the facts begin that it was read from. */
  readonly covers: CoverageStart | undefined
  /** The next chunk; none after the last one. */
  readonly next: Effect.Effect<Option.Option<Buffer>, ExportFailure>
  readonly end: Effect.Effect<ExportEnd, ExportFailure>
}

/** All trades of a wallet or a token, streamed as workers read them. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Runs while the scope is open. Concurrent equal exports share one run across processes. A complete export is kept for a
     * while if the same range can be requested again. Requests beyond the newest block then share the end of the kept one.
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
  const postgres = yield* Postgres
  const store = tradeStore(postgres)
  const redis = yield* Redis
  const { exportEnd } = keys(redis.prefix)
  const place = makeConcurrencyLimit<AccountId>()

  const takePlace = (account: AccountId) =>
    Effect.mapError(
      place(account, { account: config.get(exportsPerAccount), server: config.get(exportsPerProcess) }),
      ({ scope, limit }) => new ExportsBusy({ whose: scope, most: limit }),
    )

  const join = (range: ExportRange, form: LineForm, isRepeatable: boolean, since: number | undefined) =>
    runs
      .join(`trades:${range.id}:${range.from}:${range.to}:${form}:${since}`, {
        start: (run) => jobs.enqueue(TradesExport, { run, range, form, isRepeatable }),
        startWithin: config.get(exportStartWithin),
        mostBytes: config.get(exportsHeldBytes),
      })
      .pipe(Effect.catchTag("SharedRunsFull", busy))

  /** The end of exports beyond the newest block, the same for all of them as long as one is kept. */
  const sharedEnd = ({ id, from }: ExportRange, newest: number) => {
    const key = exportEnd(id, from)
    const millis = Duration.toMillis(config.get(exportCache))
    return redis.run(async (client) => {
      await client.set(key, String(newest), "PX", millis, "NX")
      return Number((await client.get(key)) ?? newest)
    })
  }

  const endOf = Effect.fnUntraced(function* (range: ExportRange, isRepeatable: boolean) {
    const newest = yield* newestSecond(postgres.reads)
    if (newest === undefined || range.to <= newest) return range.to
    const end = isRepeatable ? yield* sharedEnd(range, newest) : newest
    return Math.max(range.from, Math.min(range.to, end))
  })

  /** A kept export is not reused if one of its blocks was replaced since. */
  const stands = Effect.fnUntraced(function* ({ seen }: ExportEnd) {
    return seen !== null && (yield* store.stands(seen))
  })

  return Exports.of({
    open: Effect.fn("Exports.open")(function* (account, requested, form, isRepeatable) {
      const stay = yield* Scope.fork(yield* Effect.scope)
      yield* Scope.provide(takePlace(account), stay)
      const range = { ...requested, to: yield* endOf(requested, isRepeatable) }
      const covers = (yield* CoverageStore.read(postgres.reads))?.facts
      let joined = yield* join(range, form, isRepeatable, covers?.block)
      const isOld = Option.isSome(joined.kept) && !(yield* stands(readEnd(joined.kept.value)))
      if (isOld) {
        yield* runs.discard(joined.run)
        joined = yield* join(range, form, isRepeatable, covers?.block)
      }
      const { kept, next, end } = joined
      return {
        isKept: Option.isSome(kept),
        to: range.to,
        covers,
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
