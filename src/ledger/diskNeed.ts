import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { dayMillis } from "#src/domain/time.ts"
import type { HistoryGoal } from "./historyGoal.ts"

/** Bytes of a fill in Postgres, with its indexes: about 180, and room for pages that are not full. */
export const bytesPerFill = 200

/**
 * Bytes of what follows from a fill, with indexes: 0.69 positions of 310 bytes and 0.64 gains or losses of 166 bytes,
 * measured on the simulated venue at `small`.
 */
export const derivedBytesPerFill = 320

/** How much there is to read of a venue. */
export interface VenueSize {
  readonly fills: number
  /** At present; earlier days had fewer. */
  readonly fillsPerDay: number
}

/** 2.5 billion fills in total and 50 a second, as of November 2026. */
export const realVenue: VenueSize = { fills: 2_500_000_000, fillsPerDay: 50 * 86_400 }

interface BlockAt {
  readonly block: number
  /** In milliseconds. */
  readonly at: number
}

/** The part of the history that a ledger has. */
export interface HeldHistory {
  readonly first: BlockAt
  readonly last: BlockAt
}

interface Row {
  readonly facts_from: number
  readonly facts_since: Date
  readonly block: number
  readonly at: Date
}

/** Undefined if there is no ledger yet. */
export const readHeld = Effect.fnUntraced(function* (sql: SqlClient) {
  const [tables] = yield* sql<{ exist: boolean }>`
    select to_regclass('ledger_coverage') is not null and to_regclass('chain_cursor') is not null as exist`
  if (tables?.exist !== true) return undefined
  const [row] = yield* sql<Row>`
    select v.facts_from, v.facts_since, c.block, b.at
    from ledger_coverage v, chain_cursor c join block b on b.number = c.block`
  if (row === undefined) return undefined
  const held: HeldHistory = {
    first: { block: row.facts_from, at: row.facts_since.getTime() },
    last: { block: row.block, at: row.at.getTime() },
  }
  return held
})

/** When the wanted history begins. Undefined if it begins with a block of unknown time. */
const goalTime = (goal: HistoryGoal, now: number, held: HeldHistory | undefined): number | undefined => {
  switch (goal._tag) {
    case "All":
      return Number.NEGATIVE_INFINITY
    case "None":
      return now
    case "Days":
      return now - goal.days * dayMillis
    case "Time":
      return goal.at
    case "Block": {
      if (held === undefined || held.last.block <= held.first.block) return undefined
      const { first, last } = held
      return last.at - ((last.block - goal.block) * (last.at - first.at)) / (last.block - first.block)
    }
  }
}

const bytesSince = (at: number, { fills, fillsPerDay }: VenueSize, now: number) =>
  Math.min(fills, Math.max(0, ((now - at) / dayMillis) * fillsPerDay)) * (bytesPerFill + derivedBytesPerFill)

interface MissingParts {
  /** Before the first block of the ledger: history that is still to be read. */
  readonly before: number
  /** After its last block. */
  readonly after: number
}

const missingParts = (
  goal: HistoryGoal,
  venue: VenueSize,
  now: number,
  held: HeldHistory | undefined,
): MissingParts | undefined => {
  const since = goalTime(goal, now, held)
  if (since === undefined) return undefined
  const wanted = bytesSince(since, venue, now)
  if (held === undefined) return { before: Math.round(wanted), after: 0 }
  return {
    before: Math.round(Math.max(0, wanted - bytesSince(held.first.at, venue, now))),
    after: Math.round(bytesSince(Math.max(since, held.last.at), venue, now)),
  }
}

/** Bytes that the wanted history adds to what a ledger has. Undefined if its first block has an unknown time. */
export const missingBytes = (goal: HistoryGoal, venue: VenueSize, now: number, held?: HeldHistory) => {
  const missing = missingParts(goal, venue, now, held)
  return missing === undefined ? undefined : missing.before + missing.after
}

/** Those of them that are before what the ledger has. */
export const bytesBehind = (goal: HistoryGoal, venue: VenueSize, now: number, held?: HeldHistory) =>
  missingParts(goal, venue, now, held)?.before

/** The part of its room that a ledger takes at most for history that nobody asked for by name: new blocks need some too. */
const share = 0.75

/**
 * The most days, at most `most`, whose history fits. The room of a ledger is what is free and what it takes already, so that
 * the days stay the same while they are read. Days that it has need no room.
 */
export const daysThatFit = (most: number, free: number, venue: VenueSize, now: number, held?: HeldHistory): number => {
  const taken = held === undefined ? 0 : bytesSince(held.first.at, venue, now) - bytesSince(held.last.at, venue, now)
  for (let days = most; days > 0; days--) {
    const { before, after } = missingParts({ _tag: "Days", days }, venue, now, held) ?? { before: 0, after: 0 }
    const fits = taken + before + after <= share * (taken + free)
    if (fits || (before === 0 && after <= share * free)) return days
  }
  return 0
}
