import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Filter, matches } from "#src/feed/filters/Filter.ts"
import type { EventType, FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { BackwardSearch } from "#ws/events/BackwardSearch.ts"
import { catchUpFrom, type EventSubscription } from "#ws/events/CatchUp.ts"
import { EventFollower, type FollowerContext } from "#ws/events/EventFollower.ts"
import { pageSpan } from "#ws/events/LogPages.ts"
import { RecentEntries } from "#ws/events/RecentEntries.ts"
import { SubscriberIndex } from "#ws/events/SubscriberIndex.ts"
import { makeRecorders, type Recorder } from "./support/recordingSubscriber.ts"

const types: ReadonlyArray<EventType> = ["trade", "redemption"]
const [someTokens, someWallets] = [
  ["1", "2", "3"],
  ["0xa", "0xb"],
]

const entryOf = (seq: number, { type, token, wallet, own }: Happening): FeedEntry => {
  const message: FeedMessage = {
    seq,
    at: seq,
    type,
    facets: {
      wallets: [wallet],
      tokens: [token],
      conditions: [],
      side: undefined,
      size: undefined,
      status: undefined,
      onlyForWallet: own,
    },
    data: { token },
  }
  return { seq, at: seq, kind: type, messages: [message] }
}

const happening = fc.record({
  type: fc.constantFrom(...types),
  token: fc.constantFrom(...someTokens),
  wallet: fc.constantFrom(...someWallets),
  own: fc.boolean(),
  /** Unused seqs. */
  skipped: fc.integer({ min: 0, max: 3 }),
})
type Happening = { readonly type: EventType; token: string; wallet: string; own: boolean; skipped: number }

const filter: fc.Arbitrary<Filter> = fc.record({
  types: fc.subarray([...types], { minLength: 1 }).map((some) => new Set<EventType>(some)),
  tokens: fc.option(
    fc.subarray([...someTokens]).map((some) => new Set(some)),
    { nil: undefined },
  ),
  wallets: fc.option(
    fc.subarray([...someWallets]).map((some) => new Set(some)),
    { nil: undefined },
  ),
  conditions: fc.constant([]),
})

const who = fc.nat({ max: 2 })
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("happen" as const), what: fc.array(happening, { maxLength: 8 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("subscribe" as const),
      who,
      filter,
      /** Number of entries to go back; undefined for live only. */
      back: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
      /** Alternatively, this many of the newest matching events. */
      newest: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("pause", "readable", "crowd", "load", "turn", "turn", "end"), who }),
  },
)

interface Expectation {
  readonly filter: Filter
  readonly from: number
  readonly subscription: EventSubscription
  /** Numbers of the steps. */
  readonly began: number
  ended: number
}

/** How often an event of these subscriptions may come: again only after all earlier ones have ended. */
const mostOften = (subscriptions: ReadonlyArray<Expectation>): number => {
  let [count, free] = [0, Number.NEGATIVE_INFINITY]
  for (const { began, ended } of subscriptions.toSorted((a, b) => a.ended - b.ended)) {
    if (began <= free) continue
    count++
    free = ended
  }
  return count
}

const keyOf = ({ types: all, tokens, wallets }: Filter) =>
  JSON.stringify([all, tokens, wallets].map((set) => set && [...set].sort()))

describe("EventFollower", () => {
  it("every event is delivered once, and again to those who subscribe again, in any order of subscribing, pausing and resuming", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (steps, capacity) => {
        const recorders = makeRecorders()
        const log: Array<FeedEntry> = []
        const recent = new RecentEntries(capacity, 0)
        const index = new SubscriberIndex(recorders.publisher)
        const loads: Array<() => void> = []
        const turns = new Set<EventFollower>()
        let ahead = new Set<EventFollower>()
        const context: FollowerContext = {
          recent,
          index,
          loadPage: (page, done) => {
            const entries = () => log.filter(({ seq }) => seq > page * pageSpan && seq <= (page + 1) * pageSpan)
            loads.push(() => done(entries()))
          },
          schedule: (follower) => turns.add(follower),
          awaitEntries: (follower) => ahead.add(follower),
        }
        const subscribers = Array.from({ length: 3 }, () => recorders.recorder())
        const followers = subscribers.map((subscriber) => new EventFollower(subscriber, context))
        const expectations = subscribers.map((): Array<Expectation> => [])

        const newestOf = (wanted: Filter, count: number) => {
          const some = log.filter(({ messages }) => messages.some((message) => matches(wanted, message))).slice(-count)
          return some[0] === undefined ? recent.position : some[0].seq - 1
        }
        let now = 0
        const subscribe = (number: number, wanted: Filter, back: number | undefined, newest: number | undefined) => {
          const [subscriber, follower] = [subscribers[number] as Recorder, followers[number] as EventFollower]
          const from = back === undefined ? recent.position : (log.at(-1 - back)?.seq ?? 0)
          const subscription: EventSubscription = {
            id: subscriber.nextSubscriptionId(),
            stream: "markets",
            filter: { key: keyOf(wanted), filter: wanted },
            from,
          }
          const search = newest && new BackwardSearch(subscription.filter, newest, recent)
          const cursor = newest === undefined ? from : recent.position
          if (newest !== undefined) subscription.from = cursor
          const catchUp = catchUpFrom(cursor, [subscription], {
            ...(search ? { search } : {}),
            isFlat: true,
            onStart: () => undefined,
            onDone: () => undefined,
          })
          const since = newest === undefined ? from : newestOf(wanted, newest)
          expectations[number]?.push({
            filter: wanted,
            from: since,
            subscription,
            began: now,
            ended: Number.POSITIVE_INFINITY,
          })
          follower.begin(subscription, back === undefined && newest === undefined ? undefined : catchUp)
        }
        const happen = (what: ReadonlyArray<Happening>) => {
          for (const each of what) {
            const entry = entryOf(recent.position + 1 + each.skipped, each)
            log.push(entry)
            recent.push(entry)
            for (const message of entry.messages) index.publish(message)
          }
          const waiting = ahead
          ahead = new Set()
          for (const follower of waiting) follower.resume()
        }
        const wake = (subscriber: Recorder, follower: EventFollower) => {
          subscriber.isBehind = false
          subscriber.hasRoom = true
          follower.resume()
        }

        const takeTurn = () => {
          const [first] = turns
          if (first === undefined) return
          turns.delete(first)
          if (first.step()) turns.add(first)
        }

        for (const one of steps) {
          now++
          if (one.do === "happen") happen(one.what as ReadonlyArray<Happening>)
          else if (one.do === "subscribe") subscribe(one.who, one.filter, one.back, one.newest)
          else {
            const [subscriber, follower] = [subscribers[one.who] as Recorder, followers[one.who] as EventFollower]
            if (one.do === "pause" && !subscriber.isBehind) {
              subscriber.isBehind = true
              follower.pause()
            } else if (one.do === "crowd") subscriber.hasRoom = false
            else if (one.do === "load") loads.shift()?.()
            else if (one.do === "turn") takeTurn()
            else if (one.do === "end") {
              const last = expectations[one.who]?.findLast(({ ended }) => ended > now)
              if (last === undefined) continue
              last.ended = now
              follower.end(last.subscription)
            } else if (one.do === "readable") wake(subscriber, follower)
          }
        }
        for (let calm = false; !calm; ) {
          for (const [i, subscriber] of subscribers.entries()) wake(subscriber, followers[i] as EventFollower)
          while (turns.size > 0) takeTurn()
          calm = loads.length === 0
          for (const load of loads.splice(0)) load()
        }

        subscribers.forEach((subscriber, i) => {
          const received = subscriber.received.flatMap(({ type, seq }) =>
            types.includes(type as EventType) ? [Number(seq)] : [],
          )
          const all = expectations[i] ?? []
          for (const { seq, messages } of log) {
            const subscribed = all.filter(
              (each) => seq > each.from && messages.some((message) => matches(each.filter, message)),
            )
            const times = received.filter((each) => each === seq).length
            // Events of ended subscriptions may have been delivered.
            const isCurrent = subscribed.some(({ ended }) => ended > now)
            assert.isAtLeast(times, isCurrent ? 1 : 0, `seq ${seq}`)
            assert.isAtMost(times, mostOften(subscribed), `seq ${seq}`)
          }
          const sorted = received.toSorted((a, b) => a - b)
          if (all.length === 1) assert.deepStrictEqual(received, sorted)
          assert.strictEqual(followers[i]?.position, recent.position)
        })
      }),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 20_000 : 200 },
    )
  })
})
