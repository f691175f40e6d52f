import { resolve } from "node:path"
import { Clock, Effect, Schema } from "effect"
import { type HeldHistory, missingBytes, realVenue, type VenueSize } from "#src/ledger/diskNeed.ts"
import { parseGoal } from "#src/ledger/historyGoal.ts"
import { diskCheck, historyGoal } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { freeBytes } from "#src/platform/embedded/space.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { scales } from "#src/simulator/world/scale.ts"
import { upstream } from "#src/upstream/settings.ts"
import { simScale } from "./simulatorSettings.ts"

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`

/** What the history needs that the ledger lacks. Undefined if it begins with a block of unknown time. */
export const historyNeed = Effect.fnUntraced(function* (held: HeldHistory | undefined) {
  const config = yield* Configuration
  const isSimulated = config.get(upstream) === "simulator"
  const { fills, days } = scales[config.get(simScale)]
  const venue: VenueSize = isSimulated ? { fills, fillsPerDay: fills / days } : realVenue
  const goal = parseGoal(config.get(historyGoal), isSimulated)
  return missingBytes(goal, venue, yield* Clock.currentTimeMillis, held)
})

/** The history does not fit on the disk of the embedded Postgres. */
export class DiskTooSmall extends Schema.TaggedError<DiskTooSmall>()("DiskTooSmall", {
  needed: Schema.Number,
  free: Schema.Number,
  path: Schema.String,
  history: Schema.String,
}) {
  readonly exitCode = exitCodes.storeUnavailable
  get detail() {
    return `${historyGoal.env}=${this.history} needs about ${gigabytes(this.needed)}, and ${gigabytes(this.free)} are free at ${this.path}`
  }
  get advice() {
    return `choose a shorter ${historyGoal.env}, free some space, put ${settings.presageDir.env} on a larger disk, or set ${diskCheck.env}=off to go on anyway`
  }
  override get message() {
    return `${this.detail}: ${this.advice}`
  }
}

/** Fails if so many bytes do not fit on the disk of the embedded Postgres. Returns the free ones. */
export const checkFits = Effect.fnUntraced(function* (needed: number) {
  const config = yield* Configuration
  const path = resolve(config.get(settings.presageDir))
  const free = yield* Effect.sync(() => freeBytes(path))
  if (needed <= free || config.get(diskCheck) === "off") return free
  return yield* new DiskTooSmall({ needed, free, path, history: config.get(historyGoal) })
})
