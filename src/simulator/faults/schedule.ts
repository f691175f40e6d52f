import { Dice, seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"
import {
  appliesTo,
  type Channel,
  type Fault,
  isPassing,
  type Kind,
  kinds,
  type Parameter,
  type Upstream,
  upstreamNames,
  upstreams,
} from "./Fault.ts"

/** Automatic faults: a pure function of the schedule and the moment. */
export interface FaultSchedule {
  readonly seed: number
  readonly rate_per_hour: number
  /** Candidates; null for all. */
  readonly kinds: ReadonlyArray<Kind> | null
  readonly upstreams: ReadonlyArray<Upstream> | null
  readonly reorgs: boolean
}

export interface Reorg {
  readonly at: Millis
  readonly depth: number
}

/** A fault with a known start and end. */
export type ScheduledFault = Fault & { readonly from: Millis; readonly until: Millis }

interface Candidate {
  readonly upstream: Upstream
  readonly channel: Channel
  readonly kind: Kind
}

const hour = 3_600_000
const maxWindow = 60_000
const maxReorgDepth = 12
const reorgChance = 0.2
const shares = [0.1, 0.3, 1]

export const candidatesOf = (schedule: Pick<FaultSchedule, "kinds" | "upstreams">): ReadonlyArray<Candidate> =>
  (schedule.upstreams ?? upstreamNames).flatMap((upstream) =>
    upstreams[upstream].flatMap((channel: Channel) =>
      kinds[channel]
        .filter((kind) => appliesTo(kind, upstream) && (schedule.kinds?.includes(kind) ?? isPassing(kind)))
        .map((kind): Candidate => ({ upstream, channel, kind })),
    ),
  )

/** Milder than manual faults: a window lasts a minute at most and must leave time to recover. */
const parametersFor = (kind: Kind, dice: Dice): Readonly<Partial<Record<Parameter, number>>> => {
  switch (kind) {
    case "rate_limited":
      return { retry_after_s: dice.between(1, 10) }
    case "slow":
    case "reorder":
      return { delay_ms: dice.between(200, 4_000) }
    case "html":
      return { status: dice.pick([200, 502]) }
    case "server_error":
      return { status: dice.pick([500, 502, 503]) }
    case "clock_skew":
      return { skew_ms: dice.between(-300, 300) * 1_000 }
    case "behind":
      return { blocks: dice.between(1, 8) }
    default:
      return {}
  }
}

/** Equal time slots with one fault, or one reorganisation, each. */
export class FaultTimeline {
  readonly schedule: FaultSchedule
  readonly #slotMillis: Millis
  readonly #seed: number
  readonly #candidates: ReadonlyArray<Candidate>

  constructor(schedule: FaultSchedule) {
    this.schedule = schedule
    this.#slotMillis = Math.floor(hour / schedule.rate_per_hour)
    this.#seed = seedOf(schedule.seed, "fault schedule")
    this.#candidates = candidatesOf(schedule)
  }

  slotAt(moment: Millis): number {
    return Math.floor(moment / this.#slotMillis)
  }

  fault(slot: number): ScheduledFault | undefined {
    const { dice, isReorg } = this.#openSlot(slot)
    if (isReorg) return undefined
    const length = Math.max(1, Math.min(maxWindow, Math.floor((this.#slotMillis * dice.between(20, 60)) / 100)))
    const from = slot * this.#slotMillis + dice.below(this.#slotMillis - length + 1)
    const { upstream, channel, kind } = dice.pick(this.#candidates)
    return {
      id: `s${slot}`,
      upstream,
      channel,
      kind,
      share: dice.pick(shares),
      parameters: parametersFor(kind, dice),
      path: null,
      from,
      until: from + length,
    }
  }

  reorg(slot: number): Reorg | undefined {
    const { dice, isReorg } = this.#openSlot(slot)
    if (!isReorg) return undefined
    return { at: slot * this.#slotMillis + dice.below(this.#slotMillis), depth: 1 + dice.skewed(0, maxReorgDepth) }
  }

  #openSlot(slot: number): { readonly dice: Dice; readonly isReorg: boolean } {
    const dice = new Dice(this.#seed, slot)
    const chosen = dice.chance(reorgChance)
    return { dice, isReorg: this.schedule.reorgs && (chosen || this.#candidates.length === 0) }
  }
}
