import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { startService } from "./service.ts"

const clockFile = "clock"

/** Its variables show a process the time that a file says; timers run on. */
const faketime = (file: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: execFileSync("faketime", ["-m", "-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" }).trim(),
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
})

const setClock = (file: string, seconds: number) =>
  Effect.sync(() => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 }))

/** A service whose processes can be shown another time than their stores and their venue. */
export const startShiftedService = (seed: number) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryDir, clockFile)
    const shift = (seconds: number) => setClock(file, seconds)
    yield* shift(0)
    return { ...(yield* startService(seed, faketime(file))), shift }
  })

export type ShiftedService = Effect.Success<ReturnType<typeof startShiftedService>>

/**
 * Servers are started as another user, by this program. One with a clock beside its data is shown that time, and only once
 * it runs as that user, to whom the semaphores of faketime then belong.
 */
const wrapper = (program: string, variables: Readonly<Record<string, string>>) => `#!/bin/sh
options=""
while :; do
  case "$1" in
    --*) options="$options $1"; shift ;;
    *) break ;;
  esac
done
for each in "$@"; do
  file="$(dirname -- "$each")/${clockFile}"
  [ -f "$file" ] || continue
  exec ${program} $options env ${Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'`)
    .join(" ")} FAKETIME_TIMESTAMP_FILE="$file" "$@"
done
exec ${program} $options "$@"
`

/** Puts the wrapper in front of the real program, for all servers that are started from now on. */
const wrapServers = Effect.gen(function* () {
  const folder = join(yield* temporaryDir, "bin")
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env.PATH ?? ""
      const real = execFileSync("sh", ["-c", "command -v setpriv"], { encoding: "utf8" }).trim()
      const { FAKETIME_TIMESTAMP_FILE: _, ...variables } = faketime("")
      mkdirSync(folder, { mode: 0o755 })
      writeFileSync(join(folder, "setpriv"), wrapper(real, variables))
      chmodSync(join(folder, "setpriv"), 0o755)
      process.env.PATH = `${folder}${delimiter}${before}`
      return before
    }),
    (before) =>
      Effect.sync(() => {
        process.env.PATH = before
      }),
  )
})

/**
 * A service whose Postgres can be shown another time than its processes, which needs root. Redis cannot: its allocator asks
 * for the time before faketime can answer, and both wait for each other.
 */
export const startOnShiftedPostgres = (seed: number) =>
  Effect.gen(function* () {
    const dir = yield* temporaryDir
    const file = join(dir, clockFile)
    const shift = (seconds: number) => setClock(file, seconds)
    yield* shift(0)
    // Postgres runs as another user, who has to read the clock.
    yield* Effect.sync(() => chmodSync(dir, 0o711))
    yield* wrapServers
    return { ...(yield* startService(seed, {}, { dirs: { postgres: dir } })), shift }
  })
