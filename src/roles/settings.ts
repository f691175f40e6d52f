import { duties } from "#schedulers/index.ts"
import { settingsOf } from "#src/mesh/Job.ts"
import { meshSettings } from "#src/mesh/settings.ts"
import type { AnySetting } from "#src/platform/Setting.ts"
import { platformSettings } from "#src/platform/settings.ts"
import { upstreamSettings } from "#src/upstream/settings.ts"
import { contracts } from "./contracts.ts"
import { simulatorSettings } from "./simulatorSettings.ts"

/** Everything an operator can set, in the order in which `presage config` prints it. */
export const allSettings: ReadonlyArray<AnySetting> = [
  ...platformSettings,
  ...meshSettings,
  ...upstreamSettings,
  ...simulatorSettings,
  ...duties.map((duty) => duty.every),
  ...contracts.flatMap(settingsOf),
]
