import type { FeedEntry, FeedMessage } from "#src/feed/model.ts"
import type { Subscriber } from "../channel/Channel.ts"
import type { BackwardSearch } from "./BackwardSearch.ts"
import {
  type CatchUp,
  type CoveredEvents,
  catchUpFrom,
  type EventSubscription,
  isDue,
  resumableFrom,
  sentUpTo,
} from "./CatchUp.ts"
import { frameOf, snapshotFrame } from "./frames.ts"
import { pageSpan } from "./LogPages.ts"
import type { RecentEntries } from "./RecentEntries.ts"
import { type KeyedFilter, type SubscriberIndex, topicOf } from "./SubscriberIndex.ts"

/** What all followers share. */
export interface FollowerContext {
  readonly recent: RecentEntries
  readonly index: SubscriberIndex
  /** Reads a page of the log that is no longer in memory; calls back unless the gateway stops. */
  readonly loadPage: (page: number, done: (entries: ReadonlyArray<FeedEntry>) => void) => void
  /** Schedules `step`, which runs again while it returns true. */
  readonly schedule: (follower: EventFollower) => void
  /** The follower waits for events that this gateway has yet to read. */
  readonly awaitEntries: (follower: EventFollower) => void
}

/** Events sent between checks for room: per frame, and one by one. */
const framed = 100
const oneByOne = 10
/** A catch-up remembers this many replaced or ended subscriptions. */
const maxSentBefore = 20

/** Delivers the event log to one socket: each event once and in order, whether live or replayed. */
export class EventFollower {
  readonly subscriber: Subscriber
  readonly subscriptions = new Map<string, EventSubscription>()
  readonly #context: FollowerContext
  readonly #live = new Set<EventSubscription>()
  /** Run one after the other, so that each knows what the earlier ones sent. */
  #catchUps: Array<CatchUp> = []
  #topic: string | undefined
  #started: CatchUp | undefined
  #isLoading = false

  constructor(subscriber: Subscriber, context: FollowerContext) {
    this.subscriber = subscriber
    this.#context = context
  }

  /** All events up to this seq have been sent. */
  get position(): number {
    return Math.min(this.#context.recent.position, ...this.#catchUps.map(resumableFrom))
  }

  begin(subscription: EventSubscription, catchUp?: CatchUp): void {
    this.subscriptions.set(subscription.id, subscription)
    this.#context.index.retain(subscription.filter)
    if (catchUp !== undefined) {
      this.#catchUps.push(catchUp)
      this.resume()
    } else if (this.subscriber.isBehind) {
      this.#catchUps.push(this.#lag(new Set([subscription])))
    } else {
      this.#live.add(subscription)
      this.#updateTopic()
    }
  }

  replace(subscription: EventSubscription, filter: KeyedFilter): void {
    this.#rememberCoverage(subscription)
    const before = subscription.filter
    this.#context.index.retain(filter)
    subscription.filter = filter
    // What was sent for the old filters says nothing about the new ones.
    subscription.from = this.#context.recent.position
    if (this.#live.has(subscription)) this.#updateTopic()
    this.#context.index.release(before)
  }

  end(subscription: EventSubscription): void {
    this.#rememberCoverage(subscription)
    this.subscriptions.delete(subscription.id)
    for (const catchUp of this.#catchUps) catchUp.subscriptions.delete(subscription)
    this.#catchUps = this.#catchUps.filter(({ subscriptions }) => subscriptions.size > 0)
    if (this.#live.delete(subscription)) this.#updateTopic()
    this.#context.index.release(subscription.filter)
  }

  pause(): void {
    if (this.#live.size === 0) return
    this.#catchUps.unshift(this.#lag(new Set(this.#live)))
    this.#live.clear()
    this.#updateTopic()
  }

  left(): void {
    this.#live.clear()
    this.#catchUps = []
    this.#updateTopic()
    for (const { filter } of this.subscriptions.values()) this.#context.index.release(filter)
    this.subscriptions.clear()
  }

  /** Schedules pending catch-ups. */
  resume(): void {
    if (this.#catchUps.length > 0) this.#context.schedule(this)
  }

  /** Does a part of the first catch-up; false if there is nothing to do or no room. */
  step(): boolean {
    const catchUp = this.#catchUps[0]
    if (catchUp === undefined || this.#isLoading || !this.#canSend) return false
    const { recent } = this.#context
    if (this.#started !== catchUp) {
      this.#started = catchUp
      catchUp.onStart()
    }
    if (catchUp.search !== undefined) this.#search(catchUp, catchUp.search)
    else if (catchUp.found.length > 0) this.#sendDue(catchUp, catchUp.found.splice(0, batchSize(catchUp)))
    else if (catchUp.cursor > recent.position) {
      this.#context.awaitEntries(this)
      return false
    } else if (catchUp.cursor === recent.position) this.#finish(catchUp)
    else if (catchUp.cursor < recent.floor) this.#load(catchUp)
    else this.#sendEntries(catchUp, recent.after(catchUp.cursor, batchSize(catchUp)))
    return true
  }

  get #canSend(): boolean {
    const { isClosed, isBehind, hasRoom } = this.subscriber
    return !isClosed && !isBehind && hasRoom
  }

  #lag(subscriptions: Set<EventSubscription>): CatchUp {
    const { recent } = this.#context
    const cursor = recent.position
    return catchUpFrom(cursor, subscriptions, {
      isFlat: true,
      onStart: () => this.subscriber.send({ type: "lagged", from_seq: cursor + 1, to_seq: recent.position }),
      onDone: ({ sent }) => this.subscriber.send({ type: "caught_up", replayed: sent, seq: recent.position }),
    })
  }

  #search(catchUp: CatchUp, search: BackwardSearch): void {
    if (search.searchMemory()) return
    const { page } = search
    if (page === undefined) {
      catchUp.found = search.found
      const oldest = search.found[0]?.seq
      if (oldest !== undefined) for (const subscription of catchUp.subscriptions) subscription.from = oldest - 1
      catchUp.gaveUpAt = search.gaveUpAt
      catchUp.search = undefined
      return
    }
    this.#isLoading = true
    this.#context.loadPage(page, (entries) => {
      this.#isLoading = false
      search.addPage(entries)
      this.resume()
    })
  }

  #load(catchUp: CatchUp): void {
    // The floor as of now: entries that leave memory during the read may be missing from the page.
    const { floor } = this.#context.recent
    const page = Math.floor(catchUp.cursor / pageSpan)
    this.#isLoading = true
    this.#context.loadPage(page, (entries) => {
      this.#isLoading = false
      if (this.subscriber.isClosed || !this.#catchUps.includes(catchUp)) return this.resume()
      const rest = entries.filter(({ seq }) => seq > catchUp.cursor && seq <= floor)
      // Otherwise the page is requested again once there is room.
      if (this.#sendAllEntries(catchUp, rest)) {
        catchUp.cursor = Math.max(catchUp.cursor, Math.min((page + 1) * pageSpan, floor))
      }
      this.resume()
    })
  }

  /** False if there was not enough room; the cursor shows how far it got. */
  #sendAllEntries(catchUp: CatchUp, entries: ReadonlyArray<FeedEntry>): boolean {
    const count = batchSize(catchUp)
    for (let from = 0; from < entries.length; from += count) {
      if (!this.#canSend) return false
      this.#sendEntries(catchUp, entries.slice(from, from + count))
    }
    return true
  }

  #sendEntries(catchUp: CatchUp, entries: ReadonlyArray<FeedEntry>): void {
    catchUp.cursor = entries.at(-1)?.seq ?? catchUp.cursor
    this.#sendDue(
      catchUp,
      entries.flatMap(({ messages }) => messages),
    )
  }

  /** Coverage by the socket's subscriptions outside this catch-up. */
  #coverageBesides(catchUp: CatchUp): ReadonlyArray<CoveredEvents> {
    const others = [...this.subscriptions.values()].filter((each) => !catchUp.subscriptions.has(each))
    return [...catchUp.sentBefore, ...others.map((each) => this.#coverageOf(each))]
  }

  /** Only for the catch-ups that wait now: a later subscription gets its whole replay. */
  #rememberCoverage(subscription: EventSubscription): void {
    const coverage = this.#coverageOf(subscription)
    for (const { sentBefore } of this.#catchUps) {
      sentBefore.push(coverage)
      if (sentBefore.length > maxSentBefore) sentBefore.shift()
    }
  }

  #coverageOf(subscription: EventSubscription): CoveredEvents {
    const catchUp = this.#catchUps.find(({ subscriptions }) => subscriptions.has(subscription))
    const until = catchUp === undefined ? this.#context.recent.position : sentUpTo(catchUp)
    return { filter: subscription.filter.filter, after: subscription.from, until }
  }

  #sendDue(catchUp: CatchUp, all: ReadonlyArray<FeedMessage>): void {
    const coverage = this.#coverageBesides(catchUp)
    const messages = all.filter((message) => isDue(catchUp, coverage, message))
    if (messages.length === 0) return
    catchUp.sent += messages.length
    if (catchUp.isFlat) this.subscriber.deliverAll(messages.map(frameOf))
    else if (catchUp.gathered.push(...messages) >= framed) this.#sendGathered(catchUp)
  }

  #sendGathered(catchUp: CatchUp): void {
    const messages = catchUp.gathered
    catchUp.gathered = []
    const [subscription] = catchUp.subscriptions
    if (messages.length > 0) this.subscriber.deliver(snapshotFrame(subscription?.id, messages))
  }

  #finish(catchUp: CatchUp): void {
    this.#catchUps.shift()
    this.#sendGathered(catchUp)
    for (const subscription of catchUp.subscriptions) this.#live.add(subscription)
    catchUp.onDone(catchUp)
    this.#updateTopic()
  }

  #updateTopic(): void {
    const filters = [...this.#live].map(({ filter }) => filter)
    const topic = filters.length === 0 ? undefined : topicOf(filters)
    if (topic === this.#topic) return
    if (topic !== undefined) this.#context.index.join(this.subscriber, topic, filters)
    if (this.#topic !== undefined) this.#context.index.leave(this.subscriber, this.#topic)
    this.#topic = topic
  }
}

const batchSize = ({ isFlat }: CatchUp) => (isFlat ? oneByOne : framed)
