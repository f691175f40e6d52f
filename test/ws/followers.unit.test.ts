import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Filter, matches } from "#src/feed/Filter.ts"
import type { EventType, FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { Audiences } from "#ws/events/Audiences.ts"
import { catchUpFrom, Follower, type Subscription, type Surroundings } from "#ws/events/Follower.ts"
import { pageSpan } from "#ws/events/Pages.ts"
import { Ring } from "#ws/events/Ring.ts"
import { Search } from "#ws/events/Search.ts"
import { makeRoom, type Recorder } from "./support/recorder.ts"

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
  /** Numbers that were never used. */
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
      /** How many entries back; undefined is live only. */
      back: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
      /** The newest so many that match, instead. */
      newest: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("pause", "readable", "crowd", "load", "turn", "turn", "end"), who }),
  },
)

interface Want {
  readonly filter: Filter
  readonly from: number
  readonly subscription: Subscription
  isOver: boolean
}

const keyOf = ({ types: all, tokens, wallets }: Filter) =>
  JSON.stringify([all, tokens, wallets].map((set) => set && [...set].sort()))

describe("What sockets hear of the log", () => {
  it("is every event that one of their subscriptions asks for, once, whenever they came, stopped reading or went on", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (steps, capacity) => {
        const room = makeRoom()
        const log: Array<FeedEntry> = []
        const ring = new Ring(capacity, 0)
        const audiences = new Audiences(room.publisher)
        const loads: Array<() => void> = []
        const turns = new Set<Follower>()
        let ahead = new Set<Follower>()
        const around: Surroundings = {
          ring,
          audiences,
          load: (page, done) => {
            const entries = () => log.filter(({ seq }) => seq > page * pageSpan && seq <= (page + 1) * pageSpan)
            loads.push(() => done(entries()))
          },
          takesTurns: (follower) => turns.add(follower),
          awaits: (follower) => ahead.add(follower),
        }
        const listeners = Array.from({ length: 3 }, () => room.recorder())
        const followers = listeners.map((listener) => new Follower(listener, around))
        const wanted = listeners.map((): Array<Want> => [])

        const newestOf = (wish: Filter, count: number) => {
          const some = log.filter(({ messages }) => messages.some((message) => matches(wish, message))).slice(-count)
          return some[0] === undefined ? ring.position : some[0].seq - 1
        }
        const subscribe = (number: number, wish: Filter, back: number | undefined, newest: number | undefined) => {
          const [listener, follower] = [listeners[number] as Recorder, followers[number] as Follower]
          const from = back === undefined ? ring.position : (log.at(-1 - back)?.seq ?? 0)
          const subscription: Subscription = {
            id: listener.nextSubscriptionId(),
            stream: "markets",
            wish: { key: keyOf(wish), filter: wish },
            from,
          }
          const search = newest && new Search(subscription.wish, newest, ring)
          const cursor = newest === undefined ? from : ring.position
          if (newest !== undefined) subscription.from = cursor
          const catchUp = catchUpFrom(cursor, [subscription], {
            ...(search ? { search } : {}),
            isFlat: true,
            begun: () => undefined,
            done: () => undefined,
          })
          const since = newest === undefined ? from : newestOf(wish, newest)
          wanted[number]?.push({ filter: wish, from: since, subscription, isOver: false })
          follower.begin(subscription, back === undefined && newest === undefined ? undefined : catchUp)
        }
        const happen = (what: ReadonlyArray<Happening>) => {
          for (const each of what) {
            const entry = entryOf(ring.position + 1 + each.skipped, each)
            log.push(entry)
            ring.push(entry)
            for (const message of entry.messages) audiences.tell(message)
          }
          const waited = ahead
          ahead = new Set()
          for (const follower of waited) follower.go()
        }
        const wake = (listener: Recorder, follower: Follower) => {
          listener.isBehind = false
          listener.hasRoom = true
          follower.go()
        }

        const takeTurn = () => {
          const [first] = turns
          if (first === undefined) return
          turns.delete(first)
          if (first.step()) turns.add(first)
        }

        for (const one of steps) {
          if (one.do === "happen") happen(one.what as ReadonlyArray<Happening>)
          else if (one.do === "subscribe") subscribe(one.who, one.filter, one.back, one.newest)
          else {
            const [listener, follower] = [listeners[one.who] as Recorder, followers[one.who] as Follower]
            if (one.do === "pause" && !listener.isBehind) {
              listener.isBehind = true
              follower.pause()
            } else if (one.do === "crowd") listener.hasRoom = false
            else if (one.do === "load") loads.shift()?.()
            else if (one.do === "turn") takeTurn()
            else if (one.do === "end") {
              const last = wanted[one.who]?.findLast(({ isOver }) => !isOver)
              if (last === undefined) continue
              last.isOver = true
              follower.end(last.subscription)
            } else if (one.do === "readable") wake(listener, follower)
          }
        }
        for (let calm = false; !calm; ) {
          for (const [i, listener] of listeners.entries()) wake(listener, followers[i] as Follower)
          while (turns.size > 0) takeTurn()
          calm = loads.length === 0
          for (const load of loads.splice(0)) load()
        }

        listeners.forEach((listener, i) => {
          const heard = listener.heard.flatMap(({ type, seq }) =>
            types.includes(type as EventType) ? [Number(seq)] : [],
          )
          const askedFor = (some: ReadonlyArray<Want>) =>
            log.flatMap(({ seq, messages }) =>
              some.some((want) => seq > want.from && messages.some((message) => matches(want.filter, message)))
                ? [seq]
                : [],
            )
          const all = wanted[i] ?? []
          const sorted = heard.toSorted((a, b) => a - b)
          assert.deepStrictEqual(sorted, [...new Set(sorted)], "nothing comes twice")
          // What somebody asked for who is not interested any more may have come.
          const once = askedFor(all.filter(({ isOver }) => !isOver))
          const ever = new Set(askedFor(all))
          assert.deepStrictEqual(
            sorted.filter((seq) => once.includes(seq)),
            once,
          )
          assert.deepStrictEqual(
            sorted.filter((seq) => !ever.has(seq)),
            [],
          )
          if (all.length === 1) assert.deepStrictEqual(heard, sorted)
          assert.strictEqual(followers[i]?.position, ring.position)
        })
      }),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 20_000 : 1_000 },
    )
  })
})
