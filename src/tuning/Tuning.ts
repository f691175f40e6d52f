import { Context, Effect, Layer, Option, Result, Schedule, Schema, Stream } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as Setting from "#src/platform/config/Setting.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { makePublishSettings } from "./runningSettings.ts"
import * as TuningStore from "./TuningStore.ts"

/** The change is invalid; nothing was changed. */
export class TuningRefused extends Schema.TaggedError<TuningRefused>()("TuningRefused", { reason: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.reason
  }
}

/** Changes settings in every running process, permanently. */
export class Tuning extends Context.Service<
  Tuning,
  {
    readonly set: (
      name: string,
      value: string,
      by: string,
    ) => Effect.Effect<TuningStore.Change, TuningRefused | TxError>
    /** Removes an override: the setting returns to the value from file, environment and command line. */
    readonly reset: (name: string, by: string) => Effect.Effect<TuningStore.Change, TuningRefused | TxError>
    readonly history: (name: Option.Option<string>) => Effect.Effect<ReadonlyArray<TuningStore.Change>, TxError>
  }
>()("presage/tuning/Tuning") {
  static readonly layer = Layer.effect(
    Tuning,
    Effect.gen(function* () {
      const config = yield* Configuration
      const postgres = yield* Postgres
      const redis = yield* Redis

      // Redis makes the change fast; polling Postgres makes it reliable.
      const announce = Effect.ignore(redis.run((client) => client.publish(keys(redis.prefix).tuned, "")))

      const tunable = (name: string) =>
        Option.match(config.find(name), {
          onNone: () => Effect.fail(new TuningRefused({ reason: `unknown setting "${name}"; see 'presage config'` })),
          onSome: (setting) =>
            setting.live
              ? Effect.succeed(setting)
              : Effect.fail(
                  new TuningRefused({ reason: `${name} is only read at start: set ${setting.env} and restart` }),
                ),
        })

      return Tuning.of({
        set: Effect.fn("Tuning.set")(function* (name, value, by) {
          const setting = yield* tunable(name)
          const read = Setting.read(setting, value)
          if (Result.isFailure(read)) return yield* new TuningRefused({ reason: `${name}: ${read.failure}` })
          const change = yield* TuningStore.write(postgres, { name, value: Setting.show(setting, read.success), by })
          return yield* Effect.as(announce, change)
        }),
        reset: Effect.fn("Tuning.reset")(function* (name, by) {
          yield* tunable(name)
          const change = yield* TuningStore.write(postgres, { name, value: undefined, by })
          return yield* Effect.as(announce, change)
        }),
        history: Effect.fn("Tuning.history")(function* (name) {
          return yield* TuningStore.history(postgres, name)
        }),
      })
    }),
  )

  /** Applies the overrides in this process, and publishes its settings: at start, on every announcement, and every second. */
  static readonly follow = Layer.effectDiscard(
    Effect.gen(function* () {
      const config = yield* Configuration
      const postgres = yield* Postgres
      const redis = yield* Redis
      const publish = yield* makePublishSettings
      let reported = ""

      const apply = Effect.gen(function* () {
        const overrides = yield* TuningStore.overrides(postgres)
        const problems = (yield* config.applyOverrides(overrides)).join("; ")
        if (problems !== "" && problems !== reported)
          yield* Effect.logWarning(`ignored invalid live overrides: ${problems}`)
        reported = problems
      })

      yield* apply
      yield* Effect.ignore(publish)
      yield* Stream.merge(
        redis.subscribe(keys(redis.prefix).tuned),
        Stream.fromSchedule(Schedule.spaced("1 second")),
      ).pipe(
        Stream.runForEach(() => Effect.andThen(Effect.ignore(apply), Effect.ignore(publish))),
        Effect.forkScoped,
      )
    }),
  )
}
