import { Effect, Layer } from "effect"
import { Command } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { migrate as run } from "#src/platform/sql/migrate.ts"
import { Stores } from "#src/roles/Foundation.ts"
import { configured, json, set } from "./configured.ts"
import { print, printJson } from "./print.ts"

export const migrate = Command.make("migrate", { json, set }, (flags) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* Stores
    const applied = yield* run(databaseUrl, migrations)
    if (flags.json) return yield* printJson({ applied })
    yield* print(applied.length === 0 ? "nothing to do: the schema is up to date" : `applied ${applied.join(", ")}`)
  }).pipe(Effect.provide(Stores.briefLayer.pipe(Layer.provide(configured(flags.set))))),
).pipe(Command.withDescription("Bring the database schema up to date (start does so too)"))
