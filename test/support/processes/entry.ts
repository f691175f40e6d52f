import { createInterface } from "node:readline"
import { Effect, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import { runMain } from "#src/platform/process/runMain.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { foundation } from "#src/roles/Foundation.ts"
import { allSettings } from "#src/roles/settings.ts"
import { report } from "./report.ts"

type FoundationServices = Layer.Success<typeof foundation> | Configuration

/** A process as in production, with the given layers instead of the roles; reports when it is ready. */
export const runEntry = <E>(
  layers: Layer.Layer<never, E, FoundationServices>,
  more: ReadonlyArray<AnySetting> = [],
) => {
  const configuration = Configuration.layer({
    declared: [...allSettings, ...more],
    file: { path: "none", values: {} },
    env: process.env,
    flags: {},
  })
  const main = Effect.gen(function* () {
    const shutdown = yield* Shutdown
    report("ready", { pid: process.pid })
    yield* Effect.onInterrupt(Effect.never, () => shutdown.begin)
  })
  // Ends with a killed test.
  process.stdin.on("end", () => process.exit(9)).resume()
  runMain(main.pipe(Effect.provide(layers.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration)))))
}

/** Calls `heard` for every line that the test sends. */
export const onWord = (heard: (word: string) => void) => createInterface({ input: process.stdin }).on("line", heard)
