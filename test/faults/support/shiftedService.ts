import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { startService } from "./service.ts"

/** Its variables show a process the time that a file says; timers run on. */
const faketime = (file: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: execFileSync("faketime", ["-m", "-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" }).trim(),
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
})

/** A service whose processes can be shown another time than their stores and their venue. */
export const startShiftedService = (seed: number) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryDir, "clock")
    const shift = (seconds: number) => Effect.sync(() => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`))
    yield* shift(0)
    return { ...(yield* startService(seed, faketime(file))), shift }
  })

export type ShiftedService = Effect.Success<ReturnType<typeof startShiftedService>>
