import { Effect, Option } from "effect"
import { Command } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import * as TuningStore from "#src/tuning/TuningStore.ts"
import { configured, json, set } from "./configured.ts"
import { print, printJson, table } from "./print.ts"

/** Live overrides are in the database, which may not be running. */
const applyOverrides = Effect.gen(function* () {
  const config = yield* Configuration
  const stores = yield* peek({
    dir: config.get(settings.presageDir),
    databaseUrl: config.get(settings.databaseUrl),
    redisUrl: config.get(settings.redisUrl),
  })
  if (Option.isNone(stores)) return "live overrides are not included: no running instance found"
  yield* Effect.flatMap(Postgres, TuningStore.overrides).pipe(
    Effect.flatMap(config.applyOverrides),
    Effect.provide(Postgres.layer(stores.value.databaseUrl)),
    Effect.timeout("5 seconds"),
  )
  return undefined
}).pipe(Effect.catchCause(() => Effect.succeed("live overrides are not included: the database does not answer")))

export const config = Command.make("config", { json, set }, (flags) =>
  Effect.gen(function* () {
    const note = yield* applyOverrides
    const rows = (yield* Configuration).rows()
    if (flags.json) return yield* printJson(rows)
    yield* print(
      table(
        ["SETTING", "VALUE", "SOURCE", "DEFAULT", "VARIABLE", "LIVE", "DESCRIPTION"],
        rows.map((row) => [row.name, row.value, row.source, row.default, row.env, row.live ? "yes" : "", row.doc]),
      ),
    )
    if (note !== undefined) yield* print(`\n${note}`)
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription("Print every setting with its value and the source of the value"))
