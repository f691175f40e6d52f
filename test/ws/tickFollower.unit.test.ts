import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Coin } from "#src/domain/Tick.ts"
import { FeedMemory } from "#src/ticks/live/FeedMemory.ts"
import { TickFrames } from "#ws/ticks/frames.ts"
import { TickFollower } from "#ws/ticks/TickFollower.ts"
import { type TickSeries, topicOf } from "#ws/ticks/tickRequest.ts"
import { makeRecorders } from "./support/recordingSubscriber.ts"
import { beginning, pricesOf, tickAt } from "./support/ticks.ts"

const source = "oracle_data_streams"
const coins = ["BTC", "ETH"] as const
const seriesOf = (coin: Coin): TickSeries => ({ source, coin, window: "own" })

const coin = fc.constantFrom(...coins)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("tick" as const), coin }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("subscribe" as const), coin, back: fc.option(fc.nat(8)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unsubscribe" as const), coin }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("full" as const, "pause" as const, "readable" as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Runs the steps against one subscriber and checks what it received. */
const live = (steps: ReadonlyArray<Step>) => {
  const { recorder, publisher } = makeRecorders()
  const frames = new TickFrames()
  const subscriber = recorder()
  const follower = new TickFollower(subscriber, frames)
  const memories = new Map(coins.map((each) => [each, new FeedMemory(source, each, beginning)]))
  const memoryOf = (of: Coin) => memories.get(of as (typeof coins)[number]) as FeedMemory
  /** Since when each coin is followed, and how many messages were received before. */
  const followed = new Map<Coin, { since: number; receivedBefore: number; subscriptions: Array<string> }>()
  let made = 0

  const check = (of: Coin, isUpToDate: boolean) => {
    const { since, receivedBefore } = followed.get(of) ?? { since: 0, receivedBefore: 0 }
    const received = pricesOf({ received: subscriber.received.slice(receivedBefore) }).filter(
      (each) => each.coin === of,
    )
    assert.strictEqual(new Set(received.map(({ at }) => at)).size, received.length, "no duplicates")
    const expected = memoryOf(of).after(since)
    const inTime = received.toSorted((a, b) => a.at - b.at)
    const missing = expected.filter(({ at }) => !received.some((each) => each.at === at))
    for (const { at } of missing) {
      const next = inTime.find((each) => each.at > at)
      if (isUpToDate || next !== undefined) assert.isTrue(next?.gap, `${of} ${at}: a gap is marked`)
    }
    for (const each of inTime.filter(({ gap }) => gap)) {
      const before = expected.filter(({ at }) => at < each.at).at(-1)?.at
      assert.isTrue(
        missing.some(({ at }) => at === before),
        `${of} ${each.at}: no gap marker without a gap`,
      )
    }
  }

  const readable = () => {
    subscriber.isBehind = false
    subscriber.hasRoom = true
    follower.advance()
  }

  const take = (each: Step) => {
    if (each.do === "tick") {
      const memory = memoryOf(each.coin)
      const tick = tickAt(source, each.coin, (memory.position - beginning) / 1000 + 1)
      memory.add(tick)
      const topic = topicOf(seriesOf(each.coin))
      if (publisher.hasSubscribers(topic)) publisher.publish(topic, frames.of(tick, memory, "own"))
    } else if (each.do === "subscribe") {
      const memory = memoryOf(each.coin)
      const after = each.back === null ? undefined : memory.position - each.back * 1000
      const since = Math.min(after ?? memory.position, memory.position)
      const there = followed.get(each.coin)
      const subscription = `s${++made}`
      if (there === undefined) {
        followed.set(each.coin, { since, receivedBefore: subscriber.received.length, subscriptions: [subscription] })
      } else {
        there.since = Math.min(there.since, since)
        there.subscriptions.push(subscription)
      }
      follower.enqueue(follower.follow(subscription, seriesOf(each.coin), memory, after))
      follower.advance()
    } else if (each.do === "unsubscribe") {
      const there = followed.get(each.coin)
      const subscription = there?.subscriptions.pop()
      if (there === undefined || subscription === undefined) return
      if (there.subscriptions.length === 0) check(each.coin, false)
      follower.unfollow(subscription, [seriesOf(each.coin)])
      if (there.subscriptions.length === 0) followed.delete(each.coin)
    } else if (each.do === "full") subscriber.hasRoom = false
    else if (each.do === "pause") {
      subscriber.isBehind = true
      follower.pause()
    } else readable()
  }

  for (const each of steps) take(each)
  readable()
  for (const each of followed.keys()) check(each, true)
  return { subscriber, follower, followed, memoryOf }
}

describe("TickFollower", () => {
  it("every tick is delivered once or covered by a gap marker, in any order of subscribing, filling up, falling behind and reading", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        live(steps)
      }),
      { numRuns: 400 },
    )
  })

  it("a replay that waited for room continues where it stopped, then with the ticks that arrived meanwhile", () => {
    const { recorder, publisher } = makeRecorders()
    const memory = new FeedMemory(source, "BTC", beginning)
    for (let second = 1; second <= 10; second++) memory.add(tickAt(source, "BTC", second))
    const subscriber = recorder()
    let room = 3
    Object.defineProperty(subscriber, "hasRoom", { get: () => subscriber.received.length < room })
    const frames = new TickFrames()
    const follower = new TickFollower(subscriber, frames)
    follower.enqueue(follower.follow("s", seriesOf("BTC"), memory, beginning + 4_000))
    follower.advance()
    const seconds = () => pricesOf(subscriber).map(({ at }) => (at - beginning) / 1000)
    assert.deepStrictEqual(seconds(), [5, 6, 7])
    memory.add(tickAt(source, "BTC", 11))
    assert.isFalse(publisher.hasSubscribers(topicOf(seriesOf("BTC"))))
    room = 5
    follower.advance()
    assert.deepStrictEqual(seconds(), [5, 6, 7, 8, 9])
    room = 100
    follower.advance()
    assert.deepStrictEqual(seconds(), [5, 6, 7, 8, 9, 10, 11])
    assert.isTrue(publisher.hasSubscribers(topicOf(seriesOf("BTC"))))
  })

  it("a client that has newer ticks from another gateway does not receive them again", () => {
    const { recorder, publisher } = makeRecorders()
    const memory = new FeedMemory(source, "BTC", beginning)
    const subscriber = recorder()
    const follower = new TickFollower(subscriber, new TickFrames())
    follower.follow("s", seriesOf("BTC"), memory, beginning + 2_000)
    assert.isTrue(follower.advance())
    for (const second of [1, 2]) {
      memory.add(tickAt(source, "BTC", second))
      assert.strictEqual(follower.advance(), second === 1)
    }
    assert.isEmpty(subscriber.received)
    assert.isTrue(publisher.hasSubscribers(topicOf(seriesOf("BTC"))))
  })
})
