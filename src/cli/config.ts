import { Effect, Option } from "effect"
import { Command } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import type { StoreAddresses } from "#src/platform/embedded/Stores.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describeProcesses, rowsOf } from "#src/tuning/runningSettings.ts"
import * as TuningStore from "#src/tuning/TuningStore.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { print, printAside, printJson, table } from "./print.ts"
import { findStores, runningIn } from "./runningInstance.ts"

/** These say which instance is meant; other settings on the command line are those of a start. */
const locating: ReadonlyArray<string> = [
  settings.presageDir.name,
  settings.databaseUrl.name,
  settings.redisUrl.name,
  settings.redisPrefix.name,
]

/** What a start would use. Live overrides are in the database, which may not be running. */
const ofStart = Effect.fnUntraced(function* (stores: Option.Option<StoreAddresses>) {
  const config = yield* Configuration
  if (Option.isNone(stores))
    return { rows: config.rows(), notes: ["live overrides are not included: no database runs"] }
  const notes = yield* Effect.flatMap(Postgres, TuningStore.overrides).pipe(
    Effect.flatMap(config.applyOverrides),
    Effect.provide(Postgres.layer(stores.value.databaseUrl)),
    Effect.timeout("5 seconds"),
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchCause(() => Effect.succeed(["live overrides are not included: the database does not answer"])),
  )
  return { rows: config.rows(), notes }
})

/** The settings of the running instance; of a start if there is none. */
const current = Effect.gen(function* () {
  const stores = yield* findStores
  const running = yield* runningIn(stores)
  const [first] = running ?? []
  if (first !== undefined) {
    return { rows: rowsOf((yield* Configuration).rows(), first), notes: describeProcesses(running ?? []) }
  }
  const { rows, notes } = yield* ofStart(stores)
  const who =
    running === undefined
      ? [
          "these are the settings that a start would use: Redis, which knows those of a running instance, does not answer",
        ]
      : describeProcesses([])
  return { rows, notes: [...who, ...notes] }
})

const asStarted = Effect.gen(function* () {
  const { rows, notes } = yield* ofStart(yield* findStores)
  return { rows, notes: ["these are the settings that a start with --set would use", ...notes] }
})

export const config = Command.make("config", { json, set }, (flags) =>
  Effect.gen(function* () {
    const isForStart = Object.keys(flags.set).some((name) => !locating.includes(name))
    const { rows, notes } = yield* isForStart ? asStarted : current
    if (flags.json) {
      yield* printJson(rows)
      return yield* printAside(notes.join("\n"))
    }
    yield* print(
      table(
        ["SETTING", "VALUE", "SOURCE", "DEFAULT", "VARIABLE", "LIVE", "DESCRIPTION"],
        rows.map((row) => [row.name, row.value, row.source, row.default, row.env, row.live ? "yes" : "", row.doc]),
      ),
    )
    yield* print(`\n${notes.join("\n")}`)
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription(descriptions.config))
