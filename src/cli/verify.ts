import { Effect, Layer } from "effect"
import { Command } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { clients, Stores } from "#src/roles/Foundation.ts"
import { json, set } from "./configured.ts"
import { Unhealthy } from "./doctor.ts"
import { patient } from "./patient.ts"
import { print, printJson, table } from "./print.ts"

export const verify = Command.make("verify", { json, set }, (flags) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* Stores
    yield* migrate(databaseUrl, migrations)
    const checks = yield* verifyLedger
    const failed = checks.filter(({ ok }) => !ok).length
    if (flags.json) yield* printJson({ ok: failed === 0, checks })
    else {
      const rows = checks.map(({ check, ok, detail }) => [check, ok ? "ok" : "wrong", detail])
      yield* print(table(["CHECK", "STATE", "DETAIL"], rows))
    }
    if (failed > 0) return yield* new Unhealthy({ failed })
  }).pipe(Effect.provide(clients.pipe(Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(patient(flags.set))))),
).pipe(Command.withDescription("Compute anew what follows from the ledger's facts and say what differs"))
