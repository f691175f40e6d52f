import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { readRecording } from "#src/recording/RecordingReader.ts"
import { startOf } from "#src/recording/replay/drive.ts"
import { replayServer } from "#src/recording/replay/ReplayServer.ts"
import { ReplayTime } from "#src/recording/replay/ReplayTime.ts"
import { replaySettings } from "#src/recording/serviceSettings.ts"
import { scratchDirectory } from "#src/roles/scratch.ts"
import { upstreamSettings } from "#src/upstream/settings.ts"
import { configured, configuredWithout, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"

const dir = Argument.String("dir").pipe(Argument.withDescription("Directory of the recording"))

const speed = Flag.Literals("speed", ["1", "10", "max"]).pipe(
  Flag.withDescription("How fast the recorded time passes; max is as fast as the ledger follows"),
  Flag.withDefault("1" as const),
)

const portFlag = (name: string, fallback: number, what: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(`Port of the ${what}; ${fallback} by default, 0 picks a free one`),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
    Flag.withDefault(fallback),
  )

const keep = Flag.String("keep").pipe(
  Flag.withDescription("Directory in which the stores are kept; by default they are deleted at the end"),
  Flag.optional,
)

const exit = Flag.Boolean("exit").pipe(
  Flag.withDescription("Stop at the end of the recording instead of serving its last state"),
  Flag.withDefault(false),
)

const paused = Flag.Boolean("paused").pipe(
  Flag.withDescription("Begin when Enter is pressed, so that streams and webhooks can be set up first"),
  Flag.withDefault(false),
)

/** They name the real venue and the stores of an instance. */
const ignored = [
  ...upstreamSettings,
  settings.databaseUrl,
  settings.redisUrl,
  settings.redisPrefix,
  settings.otelEndpoint,
  settings.role,
]

export const replay = Command.make(
  "replay",
  {
    dir,
    speed,
    port: portFlag("port", 8180, "REST API"),
    wsPort: portFlag("ws-port", 8181, "WebSocket gateway"),
    keep,
    exit,
    paused,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const recording = yield* readRecording(flags.dir)
      const time = new ReplayTime(startOf(recording))
      const server = yield* replayServer({ recording, now: () => time.now() })
      const parent = (yield* Configuration).get(settings.presageDir)
      const stores = Option.isSome(flags.keep) ? flags.keep.value : yield* scratchDirectory(parent, "replay")
      const roles = yield* Effect.promise(() => import("#src/roles/Replay.ts"))
      const options = {
        recording,
        time,
        server,
        exits: flags.exit,
        isPaused: flags.paused,
        speed: flags.speed === "max" ? flags.speed : Number(flags.speed),
      }
      yield* Effect.provide(
        roles.replay(options),
        configuredWithout(ignored, {
          ...replaySettings(recording.manifest, server.url),
          [settings.presageDir.name]: stores,
          [settings.port.name]: String(flags.port),
          [settings.wsPort.name]: String(flags.wsPort),
          ...flags.set,
        }),
      )
    }).pipe(Effect.scoped, Effect.provide(configured({}))),
).pipe(
  Command.withDescription(descriptions.replay),
  Command.withExamples([
    { command: "presage replay problem --speed 10", description: "Ten times as fast as it happened" },
  ]),
)
