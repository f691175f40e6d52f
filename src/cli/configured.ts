import { Effect, Layer, Logger } from "effect"
import { Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { readConfigurationFile } from "#src/platform/config/configurationFile.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
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

/** Like `configured`, but file and environment do not count for some settings. */
export const configuredWithout = (ignored: ReadonlyArray<AnySetting>, flags: Readonly<Record<string, string>>) =>
  Layer.provideMerge(quietLogs, configuration(flags, ignored))

/** A short command logs only problems; `start` has its own telemetry. */
const quietLogs = Logger.layer([withThreshold(toStderr("pretty"), () => "warn")])

const without = <A>(values: Readonly<Record<string, A>>, names: ReadonlyArray<string>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

const configuration = (flags: Readonly<Record<string, string>>, ignored: ReadonlyArray<AnySetting> = []) =>
  Layer.unwrap(
    Effect.map(readConfigurationFile(), ({ path, values }) => {
      const file = {
        path,
        values: without(
          values,
          ignored.map(({ name }) => name),
        ),
      }
      const env = without(
        process.env,
        ignored.map((setting) => setting.env),
      )
      return Configuration.layer({ declared: allSettings, file, env, flags })
    }),
  )
