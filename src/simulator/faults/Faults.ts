import { seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"
import type { Fault } from "./Fault.ts"
import { LiveFault } from "./LiveFault.ts"
import { type FaultSchedule, Slots } from "./schedule.ts"
import type { Channel, Upstream } from "./upstreams.ts"

/** Something that is done to the faults; kept in the journal. */
export type FaultChange =
  | { readonly kind: "fault_on"; readonly fault: Fault }
  /** Without an id, all of them, the schedule and the engines. */
  | { readonly kind: "fault_off"; readonly id: string | null }
  | { readonly kind: "fault_schedule"; readonly schedule: FaultSchedule | null }
  /** A search engine that complains of something, or of nothing any more. */
  | { readonly kind: "engine"; readonly name: string; readonly complaint: string | null }

const isOver = ({ until }: Fault, now: Millis) => until !== null && until <= now
const none: ReadonlyArray<LiveFault> = []

/** Everything that is or will be going wrong. */
export class Faults {
  readonly #seed: number
  readonly #now: () => Millis
  readonly #switchedOn = new Map<string, LiveFault>()
  readonly #engines = new Map<string, string>()
  #slots: Slots | undefined
  /** The scheduled fault of the newest slot that was looked at. */
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
      if (change.complaint === null) this.#engines.delete(change.name)
      else this.#engines.set(change.name, change.complaint)
    } else if (change.id !== null) {
      this.#switchedOn.delete(change.id)
    } else {
      this.#switchedOn.clear()
      this.#engines.clear()
      this.#setSchedule(null)
    }
  }

  /** Search engines that are made to fail, with what they complain of. */
  get engines(): ReadonlyMap<string, string> {
    return this.#engines
  }

  /** For the next fault that is switched on. */
  get nextId(): string {
    return `f${this.#count + 1}`
  }

  get schedule(): FaultSchedule | undefined {
    return this.#slots?.schedule
  }

  /** Whether it was switched on by hand and is not over. */
  has(id: string): boolean {
    const live = this.#switchedOn.get(id)
    return live !== undefined && !isOver(live.fault, this.#now())
  }

  /** Those that are on or will be, in order of switching on; of the schedule, the one of this moment. */
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

  /** Those that may hit something now. */
  matching(channel: Channel, upstream: Upstream, path: string): ReadonlyArray<LiveFault> {
    if (this.#switchedOn.size === 0 && this.#slots === undefined) return none
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

  /** How deep the chain is to be reorganised by now, if it is; those missed in a jump of the clock stay missed. */
  reorgDue(after: Millis, until: Millis): number | undefined {
    if (this.#slots === undefined || until <= after) return undefined
    const newest = this.#slots.numberAt(until)
    for (const slot of [newest, newest - 1]) {
      const reorg = this.#slots.reorg(slot)
      if (reorg !== undefined && reorg.at > after && reorg.at <= until) return reorg.depth
    }
    return undefined
  }

  #setSchedule(schedule: FaultSchedule | null): void {
    this.#slots = schedule === null ? undefined : new Slots(schedule)
    this.#slot = -1
    this.#scheduled = undefined
  }

  #scheduledAt(now: Millis): LiveFault | undefined {
    if (this.#slots === undefined) return undefined
    const slot = this.#slots.numberAt(now)
    if (slot !== this.#slot) {
      const fault = this.#slots.fault(slot)
      this.#slot = slot
      this.#scheduled = fault === undefined ? undefined : new LiveFault(fault, this.#seed)
    }
    return this.#scheduled
  }
}
