import { type Filter, matches } from "#src/feed/Filter.ts"
import type { FeedEntry, FeedMessage } from "#src/feed/model.ts"
import type { EventStream } from "#src/streams/protocol/types.ts"
import { Frame } from "../Frame.ts"
import type { Listener } from "../Listener.ts"
import { type Audiences, topicOf, type Wish } from "./Audiences.ts"
import { frameOf } from "./frameOf.ts"
import { pageSpan } from "./Pages.ts"
import type { Ring } from "./Ring.ts"
import type { Search } from "./Search.ts"

export interface Subscription {
  readonly id: string
  readonly stream: EventStream
  wish: Wish
  /** All that matches after this seq is sent. */
  from: number
}

/** Something that is sent before a subscription is live. */
export interface CatchUp {
  readonly subscriptions: Set<Subscription>
  /** Ends before anything is sent; what it finds is sent first, whatever the cursor says. */
  search: Search | undefined
  first: Array<FeedMessage>
  /** Found, and waiting for more to share a frame with. */
  gathered: Array<FeedMessage>
  /** Everything up to here has been looked at. */
  cursor: number
  sent: number
  /** One by one as when live, or several in a frame. */
  readonly isFlat: boolean
  readonly begun: () => void
  readonly done: (catchUp: CatchUp) => void
  /** Before this seq nothing was looked for any more. */
  gaveUpAt?: number | undefined
}

/** A catch-up that has yet to begin. */
export const catchUpFrom = (
  cursor: number,
  subscriptions: Iterable<Subscription>,
  more: Pick<CatchUp, "isFlat" | "begun" | "done"> & { readonly search?: Search | undefined },
): CatchUp => ({
  search: undefined,
  ...more,
  subscriptions: new Set(subscriptions),
  first: [],
  gathered: [],
  cursor,
  sent: 0,
})

/** What followers share. */
export interface Surroundings {
  readonly ring: Ring
  readonly audiences: Audiences
  /** Reads a page of the log as far as it is no longer in memory; calls back unless the gateway ends. */
  readonly load: (page: number, done: (entries: ReadonlyArray<FeedEntry>) => void) => void
  /** Calls `step` in its turn, again and again while that is true. */
  readonly takesTurns: (follower: Follower) => void
  /** It waits for events that this gateway has yet to hear of. */
  readonly awaits: (follower: Follower) => void
}

/** Before it is looked whether there is still room: in one frame, and one by one. */
const inAFrame = 100
const oneByOne = 10
/** Of what was sent for filters that are gone, so much is remembered. */
const mostPast = 20

/** What one socket hears of the log: each event once, in order, whether live or late. */
export class Follower {
  readonly listener: Listener
  readonly subscriptions = new Map<string, Subscription>()
  readonly #around: Surroundings
  readonly #live = new Set<Subscription>()
  /** One after the other, so that each knows what those before it have sent. */
  #catchUps: Array<CatchUp> = []
  /** What subscriptions brought that are over or have other filters now. */
  readonly #past: Array<Covered> = []
  #topic: string | undefined
  #begun: CatchUp | undefined
  #isLoading = false

  constructor(listener: Listener, around: Surroundings) {
    this.listener = listener
    this.#around = around
  }

  /** The seq up to which it has heard everything. */
  get position(): number {
    const reached = ({ cursor, gathered }: CatchUp) => Math.min(cursor, (gathered[0]?.seq ?? cursor + 1) - 1)
    return Math.min(this.#around.ring.position, ...this.#catchUps.map(reached))
  }

  begin(subscription: Subscription, catchUp?: CatchUp): void {
    this.subscriptions.set(subscription.id, subscription)
    if (catchUp !== undefined) {
      this.#catchUps.push(catchUp)
      this.go()
    } else if (this.listener.isBehind) {
      this.#catchUps.push(this.#lag(new Set([subscription])))
    } else {
      this.#live.add(subscription)
      this.#regroup()
    }
  }

  replace(subscription: Subscription, wish: Wish): void {
    this.#remember(subscription)
    subscription.wish = wish
    // What was sent for the old filters says nothing about the new ones.
    subscription.from = this.#around.ring.position
    if (this.#live.has(subscription)) this.#regroup()
  }

  end(subscription: Subscription): void {
    this.#remember(subscription)
    this.subscriptions.delete(subscription.id)
    for (const catchUp of this.#catchUps) catchUp.subscriptions.delete(subscription)
    this.#catchUps = this.#catchUps.filter(({ subscriptions }) => subscriptions.size > 0)
    if (this.#live.delete(subscription)) this.#regroup()
  }

  pause(): void {
    if (this.#live.size === 0) return
    this.#catchUps.unshift(this.#lag(new Set(this.#live)))
    this.#live.clear()
    this.#regroup()
  }

  left(): void {
    this.#live.clear()
    this.#catchUps = []
    this.#regroup()
  }

  /** Goes on with what is due, as soon as it is its turn. */
  go(): void {
    if (this.#catchUps.length > 0) this.#around.takesTurns(this)
  }

  /** Sends some of what is due; false when there is nothing more, or no room for it. */
  step(): boolean {
    const catchUp = this.#catchUps[0]
    if (catchUp === undefined || this.#isLoading || !this.#mayTalk) return false
    const { ring } = this.#around
    if (this.#begun !== catchUp) {
      this.#begun = catchUp
      catchUp.begun()
    }
    if (catchUp.search !== undefined) this.#search(catchUp, catchUp.search)
    else if (catchUp.first.length > 0) this.#sendDue(catchUp, catchUp.first.splice(0, atOnce(catchUp)))
    else if (catchUp.cursor > ring.position) {
      this.#around.awaits(this)
      return false
    } else if (catchUp.cursor === ring.position) this.#finish(catchUp)
    else if (catchUp.cursor < ring.floor) this.#load(catchUp)
    else this.#tell(catchUp, ring.after(catchUp.cursor, atOnce(catchUp)))
    return true
  }

  get #mayTalk(): boolean {
    const { isGone, isBehind, hasRoom } = this.listener
    return !isGone && !isBehind && hasRoom
  }

  #lag(subscriptions: Set<Subscription>): CatchUp {
    const { ring } = this.#around
    const cursor = ring.position
    return catchUpFrom(cursor, subscriptions, {
      isFlat: true,
      begun: () => this.listener.send({ type: "lagged", from_seq: cursor + 1, to_seq: ring.position }),
      done: ({ sent }) => this.listener.send({ type: "caught_up", replayed: sent, seq: ring.position }),
    })
  }

  #search(catchUp: CatchUp, search: Search): void {
    const { page } = search
    if (page === undefined) {
      catchUp.first = search.found
      const oldest = search.found[0]?.seq
      if (oldest !== undefined) for (const subscription of catchUp.subscriptions) subscription.from = oldest - 1
      catchUp.gaveUpAt = search.gaveUpAt
      catchUp.search = undefined
      return
    }
    this.#isLoading = true
    this.#around.load(page, (entries) => {
      this.#isLoading = false
      search.look(entries)
      this.go()
    })
  }

  #load(catchUp: CatchUp): void {
    // As it is now: what leaves the ring while the page is read need not be in it.
    const { floor } = this.#around.ring
    const page = Math.floor(catchUp.cursor / pageSpan)
    this.#isLoading = true
    this.#around.load(page, (entries) => {
      this.#isLoading = false
      if (this.listener.isGone || !this.#catchUps.includes(catchUp)) return this.go()
      const rest = entries.filter(({ seq }) => seq > catchUp.cursor && seq <= floor)
      // The page is asked for again when there is room for more of it.
      if (this.#tellAll(catchUp, rest)) {
        catchUp.cursor = Math.max(catchUp.cursor, Math.min((page + 1) * pageSpan, floor))
      }
      this.go()
    })
  }

  /** False when the room did not suffice; the cursor says how far it went. */
  #tellAll(catchUp: CatchUp, entries: ReadonlyArray<FeedEntry>): boolean {
    const count = atOnce(catchUp)
    for (let from = 0; from < entries.length; from += count) {
      if (!this.#mayTalk) return false
      this.#tell(catchUp, entries.slice(from, from + count))
    }
    return true
  }

  #tell(catchUp: CatchUp, entries: ReadonlyArray<FeedEntry>): void {
    catchUp.cursor = entries.at(-1)?.seq ?? catchUp.cursor
    this.#sendDue(
      catchUp,
      entries.flatMap(({ messages }) => messages),
    )
  }

  /** What the other subscriptions of this socket have brought. */
  #coveredBesides(catchUp: CatchUp): ReadonlyArray<Covered> {
    const others = [...this.subscriptions.values()].filter((each) => !catchUp.subscriptions.has(each))
    return [...this.#past, ...others.map((each) => this.#coverOf(each))]
  }

  #remember(subscription: Subscription): void {
    this.#past.push(this.#coverOf(subscription))
    if (this.#past.length > mostPast) this.#past.shift()
  }

  #coverOf(subscription: Subscription): Covered {
    const under = this.#catchUps.find(({ subscriptions }) => subscriptions.has(subscription))
    const until = under?.search === undefined ? (under?.cursor ?? this.#around.ring.position) : 0
    return { filter: subscription.wish.filter, after: subscription.from, until }
  }

  #sendDue(catchUp: CatchUp, all: ReadonlyArray<FeedMessage>): void {
    const others = this.#coveredBesides(catchUp)
    const messages = all.filter((message) => isDue(catchUp, others, message))
    if (messages.length === 0) return
    catchUp.sent += messages.length
    if (catchUp.isFlat) this.listener.deliverAll(messages.map(frameOf))
    else if (catchUp.gathered.push(...messages) >= inAFrame) this.#sendGathered(catchUp)
  }

  #sendGathered(catchUp: CatchUp): void {
    const messages = catchUp.gathered
    catchUp.gathered = []
    if (messages.length > 0) this.listener.deliver(snapshotOf(catchUp, messages))
  }

  #finish(catchUp: CatchUp): void {
    this.#catchUps.shift()
    this.#sendGathered(catchUp)
    for (const subscription of catchUp.subscriptions) this.#live.add(subscription)
    catchUp.done(catchUp)
    this.#regroup()
  }

  #regroup(): void {
    const wishes = [...this.#live].map(({ wish }) => wish)
    const topic = wishes.length === 0 ? undefined : topicOf(wishes)
    if (topic === this.#topic) return
    // The new one first: what both want need not be filed again.
    if (topic !== undefined) this.#around.audiences.join(this.listener, topic, wishes)
    if (this.#topic !== undefined) this.#around.audiences.leave(this.listener, this.#topic)
    this.#topic = topic
  }
}

const atOnce = ({ isFlat }: CatchUp) => (isFlat ? oneByOne : inAFrame)

/** All that matches between two seqs has been sent. */
interface Covered {
  readonly filter: Filter
  readonly after: number
  readonly until: number
}

const isDue = ({ subscriptions }: CatchUp, others: ReadonlyArray<Covered>, message: FeedMessage): boolean => {
  const { seq } = message
  if (others.some(({ filter, after, until }) => after < seq && seq <= until && matches(filter, message))) return false
  for (const { wish } of subscriptions) if (matches(wish.filter, message)) return true
  return false
}

const snapshotOf = ({ subscriptions }: CatchUp, messages: ReadonlyArray<FeedMessage>): Frame => {
  const [subscription] = subscriptions
  const head = JSON.stringify({ type: "snapshot", subscription_id: subscription?.id, count: messages.length })
  return new Frame(`${head.slice(0, -1)},"events":[${messages.map((message) => frameOf(message).text).join(",")}]}`)
}
