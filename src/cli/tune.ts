import { userInfo } from "node:os"
import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { Tuning, TuningRefused } from "#src/tuning/Tuning.ts"
import type { Change } from "#src/tuning/TuningStore.ts"
import { configured, json, set } from "./configured.ts"
import { print, printJson, table } from "./print.ts"

/** A user id need not have a name, as in a container. */
const whoAmI = () => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

const say = ({ name, from, to }: Change) =>
  `${name}: ${from ?? "no override"} -> ${to ?? "no override"} (in every process within 2 s)`

export const tune = Command.make(
  "tune",
  {
    setting: Argument.String("setting").pipe(
      Argument.withDescription("Name as in 'presage config'"),
      Argument.optional,
    ),
    value: Argument.String("value").pipe(Argument.withDescription("New value"), Argument.optional),
    reset: Flag.Boolean("reset").pipe(Flag.withDescription("Take the override back"), Flag.withDefault(false)),
    history: Flag.Boolean("history").pipe(Flag.withDescription("Print who changed what"), Flag.withDefault(false)),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* Stores
      yield* migrate(databaseUrl, migrations)
      const tuning = yield* Tuning
      if (flags.history) {
        const changes = yield* tuning.history(flags.setting)
        if (flags.json) return yield* printJson(changes)
        const rows = changes.map((c) => [new Date(c.at).toISOString(), c.by, c.name, c.from ?? "-", c.to ?? "-"])
        return yield* print(table(["WHEN", "WHO", "SETTING", "FROM", "TO"], rows))
      }
      const by = whoAmI()
      const usage = () =>
        new TuningRefused({ reason: "usage: presage tune <setting> <value>, or presage tune <setting> --reset" })
      const name = yield* Option.isSome(flags.setting) ? Effect.succeed(flags.setting.value) : Effect.fail(usage())
      if (flags.reset === Option.isSome(flags.value)) return yield* usage()
      const change = yield* Option.isSome(flags.value)
        ? tuning.set(name, flags.value.value, by)
        : tuning.reset(name, by)
      yield* flags.json ? printJson(change) : print(say(change))
    }).pipe(
      Effect.provide(
        Tuning.layer.pipe(
          Layer.provide(clients),
          Layer.provideMerge(Stores.briefLayer),
          Layer.provideMerge(configured(flags.set)),
        ),
      ),
    ),
).pipe(
  Command.withDescription("Change a setting in every running process, for good"),
  Command.withExamples([
    { command: "presage tune event-log-maintenance.concurrency 2", description: "Let each worker run two at a time" },
  ]),
)
