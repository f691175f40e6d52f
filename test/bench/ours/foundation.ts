import { Layer, ManagedRuntime } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { allSettings } from "#src/roles/settings.ts"

export const configuration = (more: ReadonlyArray<AnySetting> = []) =>
  Configuration.layer({
    declared: [...allSettings, ...more],
    file: { path: "none", values: {} },
    env: process.env,
    flags: {},
  })

/** The foundation of every production process, on the bench's stores. */
export const foundationRuntime = (more: ReadonlyArray<AnySetting> = []) =>
  ManagedRuntime.make(Layer.provideMerge(foundation, configuration(more)))
