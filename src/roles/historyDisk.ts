import { resolve } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import {
  bytesBehind,
  daysThatFit,
  type HeldHistory,
  missingBytes,
  realVenue,
  type VenueSize,
} from "#src/ledger/diskNeed.ts"
import { parseGoal, usualDays } from "#src/ledger/historyGoal.ts"
import { diskCheck, historyGoal } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { freeBytes } from "#src/platform/embedded/space.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { scales } from "#src/simulator/world/scale.ts"
import { upstream } from "#src/upstream/settings.ts"
import { simScale } from "./simulatorSettings.ts"

export const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`

export interface HistoryNeed {
  /** Bytes that the ledger lacks. Undefined if the history begins with a block of unknown time. */
  readonly missing: number | undefined
  /** Those of them that are before what the ledger has. */
  readonly behind: number | undefined
  /** Days that LEDGER_HISTORY=auto reads of the real venue. */
  readonly autoDays: number
}

/** What the history needs. One that is not set by name is shortened to what fits on the disk of the embedded Postgres. */
export const historyNeed = Effect.fnUntraced(function* (held: HeldHistory | undefined) {
  const config = yield* Configuration
  const isSimulated = config.get(upstream) === "simulator"
  const { fills, days } = scales[config.get(simScale)]
  const venue: VenueSize = isSimulated ? { fills, fillsPerDay: fills / days } : realVenue
  const now = yield* Clock.currentTimeMillis
  const text = config.get(historyGoal)
  const isBounded =
    text === "auto" && Option.isNone(config.get(settings.databaseUrl)) && config.get(diskCheck) === "on" && !isSimulated
  const path = resolve(config.get(settings.presageDir))
  const autoDays = isBounded ? daysThatFit(usualDays, freeBytes(path), venue, now, held) : usualDays
  const goal = parseGoal(text, isSimulated, autoDays)
  const need: HistoryNeed = {
    missing: missingBytes(goal, venue, now, held),
    behind: bytesBehind(goal, venue, now, held),
    autoDays,
  }
  return need
})

/** The setting with its value, as a user would write it. */
export const historySetting = (text: string, isSimulated: boolean, autoDays: number) => {
  const wanted = text !== "auto" ? text : isSimulated ? "all" : autoDays === 0 ? "none" : `${autoDays}d`
  return `${historyGoal.env}=${wanted}`
}

/** Why LEDGER_HISTORY=auto reads fewer days than usual; undefined if it does not, or has read them. */
export const whyFewer = ({ autoDays, behind }: HistoryNeed) => {
  if (autoDays === usualDays || (autoDays > 0 && behind === 0)) return undefined
  const read = autoDays === 0 ? "none is" : autoDays === 1 ? "one is" : `${autoDays} are`
  return `${usualDays} days of history would take more than three quarters of what is free on the disk and what the ledger takes already, so that ${read} read; ${historyGoal.env} chooses, and ${settings.presageDir.env} can be on a larger disk`
}

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
