import { Effect, Schema } from "effect"
import { Command } from "effect/unstable/cli"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { configured, json, set } from "./configured.ts"
import { examine } from "./doctor/examine.ts"
import { print, printJson, table } from "./print.ts"

export class Unhealthy extends Schema.TaggedError<Unhealthy>()("Unhealthy", { failed: Schema.Number }) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return this.failed === 1 ? "one check failed" : `${this.failed} checks failed`
  }
}

export const doctor = Command.make("doctor", { json, set }, (flags) =>
  Effect.gen(function* () {
    const findings = yield* examine
    const failed = findings.filter((finding) => finding.state === "fail").length
    if (flags.json) yield* printJson({ ok: failed === 0, checks: findings })
    else {
      const rows = findings.map(({ check, state, detail, advice }) => [
        check,
        state,
        advice === undefined ? detail : `${detail}: ${advice}`,
      ])
      yield* print(table(["CHECK", "STATE", "DETAIL"], rows))
    }
    if (failed > 0) return yield* new Unhealthy({ failed })
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription("Check what Presage needs and say what to do about what is missing"))
