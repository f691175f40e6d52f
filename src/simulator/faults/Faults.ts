import { seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"
import { type Channel, type Fault, LiveFault, type Upstream } from "./Fault.ts"
import { type FaultSchedule, FaultTimeline } from "./schedule.ts"

/** A change of the faults; recorded in the journal. */
export type FaultChange =
  | { readonly kind: "fault_on"; readonly fault: Fault }
  /** A null id resets all faults, the schedule and the engines. */
  | { readonly kind: "fault_off"; readonly id: string | null }
  | { readonly kind: "fault_schedule"; readonly schedule: FaultSchedule | null }
  /** Makes a search engine fail with a complaint, or work without its random outages. */
  | { readonly kind: "engine"; readonly name: string; readonly complaint: string | null }

const isOver = ({ until }: Fault, now: Millis) => until !== null && until <= now
const none: ReadonlyArray<LiveFault> = []

/** All active and upcoming faults. */
export class Faults {
  readonly #seed: number
  readonly #now: () => Millis
  readonly #switchedOn = new Map<string, LiveFault>()
  readonly #engines = new Map<string, string | null>()
  #timeline: FaultTimeline | undefined
  /** The scheduled fault of the newest slot read. */
  #slot = -1
  #scheduled: LiveFault | undefined
  #count = 0
  #connections = 0

  constructor(seed: number, now: () => Millis) {
    this.#seed = seedOf(seed, "faults")
    this.#now = now
  }

  apply(change: FaultChange): void {
    if (change.kind === "fault_on") {
      this.#count += 1
      this.#switchedOn.set(change.fault.id, new LiveFault(change.fault, this.#seed))
    } else if (change.kind === "fault_schedule") {
      this.#setSchedule(change.schedule)
    } else if (change.kind === "engine") {
      this.#engines.set(change.name, change.complaint)
    } else if (change.id !== null) {
      this.#switchedOn.delete(change.id)
    } else {
      this.#switchedOn.clear()
      this.#engines.clear()
      this.#setSchedule(null)
    }
  }

  /** Search engines that fail, with their complaints, and those that always work. */
  get engines(): ReadonlyMap<string, string | null> {
    return this.#engines
  }

  /** The id of the next fault. */
  get nextId(): string {
    return `f${this.#count + 1}`
  }

  get schedule(): FaultSchedule | undefined {
    return this.#timeline?.schedule
  }

  /** Whether it was switched on manually and has not expired. */
  has(id: string): boolean {
    const live = this.#switchedOn.get(id)
    return live !== undefined && !isOver(live.fault, this.#now())
  }

  /** Manual faults that have not expired, in order of creation, then the current scheduled one. */
  list(): ReadonlyArray<LiveFault> {
    const now = this.#now()
    for (const [id, { fault }] of this.#switchedOn) if (isOver(fault, now)) this.#switchedOn.delete(id)
    const scheduled = this.#scheduledAt(now)
    const still = scheduled !== undefined && !isOver(scheduled.fault, now)
    return still ? [...this.#switchedOn.values(), scheduled] : [...this.#switchedOn.values()]
  }

  isActive({ from, until }: Fault): boolean {
    const now = this.#now()
    return (from === null || from <= now) && (until === null || now < until)
  }

  /** Active faults that may hit a request or message. */
  matching(channel: Channel, upstream: Upstream, path: string): ReadonlyArray<LiveFault> {
    if (this.#switchedOn.size === 0 && this.#timeline === undefined) return none
    return this.list().filter(
      ({ fault }) =>
        fault.channel === channel &&
        (fault.upstream === "*" || fault.upstream === upstream) &&
        (fault.path === null || path.startsWith(fault.path)) &&
        this.isActive(fault),
    )
  }

  nextConnection(): number {
    return this.#connections++
  }

  /** Depth of the reorganisation due, if any; reorganisations skipped by a clock jump stay skipped. */
  reorgDue(after: Millis, until: Millis): number | undefined {
    if (this.#timeline === undefined || until <= after) return undefined
    const newest = this.#timeline.slotAt(until)
    for (const slot of [newest, newest - 1]) {
      const reorg = this.#timeline.reorg(slot)
      if (reorg !== undefined && reorg.at > after && reorg.at <= until) return reorg.depth
    }
    return undefined
  }

  #setSchedule(schedule: FaultSchedule | null): void {
    this.#timeline = schedule === null ? undefined : new FaultTimeline(schedule)
    this.#slot = -1
    this.#scheduled = undefined
  }

  #scheduledAt(now: Millis): LiveFault | undefined {
    if (this.#timeline === undefined) return undefined
    const slot = this.#timeline.slotAt(now)
    if (slot !== this.#slot) {
      const fault = this.#timeline.fault(slot)
      this.#slot = slot
      this.#scheduled = fault === undefined ? undefined : new LiveFault(fault, this.#seed)
    }
    return this.#scheduled
  }
}
