import { join } from "node:path"
import { Effect, Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { BadRecording } from "#src/recording/model.ts"
import { scratchDirectory } from "#src/roles/scratch.ts"
import { configured, configuredWithout, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { print, printAside, printJson, table } from "./print.ts"

const megabyte = 1024 * 1024

const to = Flag.String("to").pipe(Flag.withDescription("Directory for the recording; it must be empty or missing"))

const minutes = Flag.Finite("minutes").pipe(
  Flag.withDescription("How long to record what arrives; 10 by default"),
  Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 1_440 }))),
  Flag.optional,
)

const whole = (name: string, description: string, maximum: number) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum }))),
    Flag.optional,
  )

const fromBlock = whole("from-block", "Record past blocks from this one on instead of what arrives", 2_000_000_000)
const blocks = whole("blocks", "Number of past blocks, with --from-block; 100 by default", 100_000)
const maxMegabytes = whole("max-mb", "Largest size before compression; 1000 by default", 100_000)

const spanOf = Effect.fnUntraced(function* (flags: {
  readonly minutes: Option.Option<number>
  readonly fromBlock: Option.Option<number>
  readonly blocks: Option.Option<number>
}) {
  if (Option.isNone(flags.fromBlock)) {
    if (Option.isSome(flags.blocks)) return yield* new BadRecording({ problem: "--blocks needs --from-block" })
    return { _tag: "Minutes", minutes: Option.getOrElse(flags.minutes, () => 10) } as const
  }
  if (Option.isSome(flags.minutes))
    return yield* new BadRecording({
      problem: "--minutes records what arrives, --from-block past blocks: give one of them",
    })
  return { _tag: "Blocks", from: flags.fromBlock.value, count: Option.getOrElse(flags.blocks, () => 100) } as const
})

/** Stores of a running instance are left alone. */
const storesOfInstance = [settings.databaseUrl, settings.redisUrl, settings.redisPrefix]

export const record = Command.make("record", { to, minutes, fromBlock, blocks, maxMegabytes, json, set }, (flags) =>
  Effect.gen(function* () {
    const span = yield* spanOf(flags)
    const roles = yield* Effect.promise(() => import("#src/roles/Record.ts"))
    const dir = (yield* Configuration).get(settings.presageDir)
    const scratch = yield* scratchDirectory(dir, "record")
    const what = span._tag === "Minutes" ? `${span.minutes} minutes` : `${span.count} blocks from ${span.from} on`
    yield* printAside(`recording ${what} to ${flags.to}; Ctrl-C ends the recording and keeps it`)
    const manifest = yield* roles.record({
      to: flags.to,
      span,
      maxBytes: Option.getOrElse(flags.maxMegabytes, () => 1_000) * megabyte,
      serviceConfiguration: (more) =>
        Layer.orDie(
          configuredWithout(storesOfInstance, {
            [settings.presageDir.name]: join(scratch),
            [settings.logLevel.name]: "error",
            ...more,
            ...flags.set,
          }),
        ),
    })
    if (flags.json) return yield* printJson(manifest)
    const rows = roles.filesOf(manifest).map(([source, lines, bytes]) => [source, String(lines), String(bytes)])
    yield* print(table(["SOURCE", "LINES", "BYTES"], rows))
    if (manifest.ended === "size")
      yield* printAside("the recording ended early: it reached its largest size, see --max-mb")
  }).pipe(Effect.scoped, Effect.provide(configured(flags.set))),
).pipe(
  Command.withDescription(descriptions.record),
  Command.withExamples([
    { command: "presage record --minutes 10 --to problem", description: "Record what arrives in ten minutes" },
    { command: "presage record --from-block 80000000 --blocks 50 --to problem", description: "Record past blocks" },
  ]),
)
