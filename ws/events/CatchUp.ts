import { type Filter, matches } from "#src/feed/filters/Filter.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import type { Confirmations } from "#src/streams/protocol/client.ts"
import type { EventStream } from "#src/streams/protocol/streamTypes.ts"
import type { BackwardSearch } from "./BackwardSearch.ts"
import type { KeyedFilter } from "./SubscriberIndex.ts"

export interface EventSubscription {
  readonly id: string
  readonly stream: EventStream
  readonly confirmations?: Confirmations | undefined
  filter: KeyedFilter
  /** All matching events after this seq are sent. */
  from: number
}

/** Past events that are sent before subscriptions go live. */
export interface CatchUp {
  readonly subscriptions: Set<EventSubscription>
  /** Runs before anything is sent. Its results are sent first, regardless of the cursor. */
  search: BackwardSearch | undefined
  found: Array<FeedMessage>
  /** Matching events waiting to fill a frame. */
  gathered: Array<FeedMessage>
  /** All entries up to this seq have been examined. */
  cursor: number
  sent: number
  /** What subscriptions covered that ended, or got other filters, since this catch-up was requested. */
  readonly sentBefore: Array<CoveredEvents>
  /** Whether events are sent one by one, like live ones, instead of several per frame. */
  readonly isFlat: boolean
  readonly onStart: () => void
  readonly onDone: (catchUp: CatchUp) => void
  /** The search stopped at this seq before it found enough events. */
  gaveUpAt?: number | undefined
}

/** Creates a catch-up that has not started. */
export const catchUpFrom = (
  cursor: number,
  subscriptions: Iterable<EventSubscription>,
  options: Pick<CatchUp, "isFlat" | "onStart" | "onDone"> & { readonly search?: BackwardSearch | undefined },
): CatchUp => ({
  search: undefined,
  ...options,
  subscriptions: new Set(subscriptions),
  found: [],
  gathered: [],
  cursor,
  sent: 0,
  sentBefore: [],
})

const before = (cursor: number, [waiting]: ReadonlyArray<FeedMessage>): number =>
  waiting === undefined ? cursor : Math.min(cursor, waiting.seq - 1)

/** All events since the catch-up was requested, up to this seq, have been sent. */
export const resumableFrom = ({ cursor, gathered }: CatchUp): number => before(cursor, gathered)

/** The catch-up has sent everything up to this seq that it has to send. */
export const sentUpTo = ({ search, cursor, gathered, found }: CatchUp): number =>
  search === undefined ? before(before(cursor, gathered), found) : 0

/** All matching events of this range of seqs have been sent. */
export interface CoveredEvents {
  readonly filter: Filter
  readonly after: number
  readonly until: number
}

/** Whether the catch-up has to send a message, given what the socket's other subscriptions have covered. */
export const isDue = (
  { subscriptions }: CatchUp,
  coverage: ReadonlyArray<CoveredEvents>,
  message: FeedMessage,
): boolean => {
  const { seq } = message
  if (coverage.some(({ filter, after, until }) => after < seq && seq <= until && matches(filter, message))) return false
  for (const { filter } of subscriptions) if (matches(filter.filter, message)) return true
  return false
}

/** Work done in small steps; `step` returns whether more can be done now. */
interface Stepped {
  readonly step: () => boolean
}

/** Milliseconds per turn of the event loop; the rest is for live delivery. */
const turnMillis = 4

/** Schedules catch-ups round-robin in small steps, because thousands of clients may reconnect at once. */
export const makeTurnScheduler = <A extends Stepped>(): ((work: A) => void) => {
  const waiting = new Set<A>()
  let isScheduled = false

  const runTurn = () => {
    isScheduled = false
    const end = performance.now() + turnMillis
    for (const work of waiting) {
      waiting.delete(work)
      if (work.step()) waiting.add(work)
      if (performance.now() > end) break
    }
    if (waiting.size > 0) schedule()
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(runTurn)
  }
  return (work) => {
    waiting.add(work)
    schedule()
  }
}
