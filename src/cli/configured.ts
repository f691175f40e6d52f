import { Effect, Layer } from "effect"
import { Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/Configuration.ts"
import { readConfigurationFile } from "#src/platform/configurationFile.ts"
import { allSettings } from "#src/roles/settings.ts"

/** `--set name=value`, as often as wanted, on every command. */
export const set = Flag.KeyValuePair("set").pipe(
  Flag.withDescription("Set any setting, as in --set port=9000 --set log.level=debug; wins over file and environment"),
  Flag.withDefault({}),
)

export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON for machines"), Flag.withDefault(false))

/** Gives a command its configuration: default, file, environment, command line. */
export const configured = (flags: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(readConfigurationFile(), (file) =>
      Configuration.layer({ declared: allSettings, file, env: process.env, flags }),
    ),
  )
