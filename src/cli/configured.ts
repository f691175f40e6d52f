import { Effect, Layer, Logger } from "effect"
import { Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { readConfigurationFile } from "#src/platform/config/configurationFile.ts"
import { toStderr, withThreshold } from "#src/platform/telemetry/logging.ts"
import { allSettings } from "#src/roles/settings.ts"

/** `--set name=value`, repeatable, on every command. */
export const set = Flag.KeyValuePair("set").pipe(
  Flag.withDescription(
    "Override a setting, for example --set port=9000 --set log.level=debug; takes precedence over file and environment",
  ),
  Flag.withDefault({}),
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** The configuration of a command (default, file, environment, command line), and logs on stderr. */
export const configured = (flags: Readonly<Record<string, string>>) =>
  Layer.provideMerge(quietLogs, configuration(flags))

/** A short command logs only problems; `start` has its own telemetry. */
const quietLogs = Logger.layer([withThreshold(toStderr("pretty"), () => "warn")])

const configuration = (flags: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(readConfigurationFile(), (file) =>
      Configuration.layer({ declared: allSettings, file, env: process.env, flags }),
    ),
  )
