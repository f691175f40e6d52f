import { Effect, Layer, Logger } from "effect"
import { Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { readConfigurationFile } from "#src/platform/config/configurationFile.ts"
import { withThreshold, toStderr } from "#src/platform/telemetry/logging.ts"
import { allSettings } from "#src/roles/settings.ts"

/** `--set name=value`, as often as wanted, on every command. */
export const set = Flag.KeyValuePair("set").pipe(
  Flag.withDescription("Set any setting, as in --set port=9000 --set log.level=debug; wins over file and environment"),
  Flag.withDefault({}),
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON for machines"), Flag.withDefault(false))

/** Gives a command its configuration: default, file, environment, command line; and logs that stay off standard output. */
export const configured = (flags: Readonly<Record<string, string>>) => Layer.provideMerge(quietLogs, settled(flags))

/** A command that was asked for one thing says only what went wrong; `start` brings its own telemetry. */
const quietLogs = Logger.layer([withThreshold(toStderr("pretty"), () => "warn")])

const settled = (flags: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(readConfigurationFile(), (file) =>
      Configuration.layer({ declared: allSettings, file, env: process.env, flags }),
    ),
  )
