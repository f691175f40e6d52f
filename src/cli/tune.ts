import { userInfo } from "node:os"
import { Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { clients, Stores } from "#src/roles/Stores.ts"
import { Tuning, TuningRefused } from "#src/tuning/Tuning.ts"
import type { Change } from "#src/tuning/TuningStore.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { print, printJson, table } from "./print.ts"

/** In a container the user may have no name. */
const currentUser = () => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

const describeChange = ({ name, from, to }: Change) =>
  `${name}: ${from ?? "no override"} -> ${to ?? "no override"} (takes effect in every process within 2 s)`

export const tune = Command.make(
  "tune",
  {
    setting: Argument.String("setting").pipe(
      Argument.withDescription("Name of a setting, from 'presage config'"),
      Argument.optional,
    ),
    value: Argument.String("value").pipe(Argument.withDescription("New value"), Argument.optional),
    reset: Flag.Boolean("reset").pipe(Flag.withDescription("Remove the override"), Flag.withDefault(false)),
    history: Flag.Boolean("history").pipe(
      Flag.withDescription("Print past changes and who made them"),
      Flag.withDefault(false),
    ),
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
      const by = currentUser()
      const usage = () =>
        new TuningRefused({ reason: "usage: presage tune <setting> <value>, or presage tune <setting> --reset" })
      const name = yield* Option.isSome(flags.setting) ? Effect.succeed(flags.setting.value) : Effect.fail(usage())
      if (flags.reset === Option.isSome(flags.value)) return yield* usage()
      const change = yield* Option.isSome(flags.value)
        ? tuning.set(name, flags.value.value, by)
        : tuning.reset(name, by)
      yield* flags.json ? printJson(change) : print(describeChange(change))
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
  Command.withDescription(descriptions.tune),
  Command.withExamples([
    {
      command: "presage tune event-log-maintenance.concurrency 2",
      description: "Let each worker run two jobs at a time",
    },
  ]),
)
