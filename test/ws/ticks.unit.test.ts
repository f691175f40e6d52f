import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Coin } from "#src/domain/Tick.ts"
import { Memory } from "#src/ticks/live/Memory.ts"
import { Attendance } from "#ws/ticks/Attendance.ts"
import { Frames } from "#ws/ticks/frames.ts"
import { type Line, topicOf } from "#ws/ticks/wanted.ts"
import { makeRoom } from "./support/recorder.ts"
import { beginning, pricesOf, tickAt } from "./ticksSupport.ts"

const source = "oracle_data_streams"
const coins = ["BTC", "ETH"] as const
const lineOf = (coin: Coin): Line => ({ source, coin, window: "spot" })

const coin = fc.constantFrom(...coins)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("tick" as const), coin }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("subscribe" as const), coin, back: fc.option(fc.nat(8)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unsubscribe" as const), coin }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("full" as const, "pause" as const, "readable" as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** A socket that lives through the steps, and a second one that just listens. */
const live = (steps: ReadonlyArray<Step>) => {
  const { recorder, publisher } = makeRoom()
  const frames = new Frames()
  const listener = recorder()
  const attendance = new Attendance(listener, frames)
  const memories = new Map(coins.map((each) => [each, new Memory(source, each, beginning)]))
  const memoryOf = (of: Coin) => memories.get(of as (typeof coins)[number]) as Memory
  /** From which moment on each coin is followed, and how many messages were heard before. */
  const followed = new Map<Coin, { since: number; heardBefore: number; subscriptions: Array<string> }>()
  let made = 0

  const check = (of: Coin, isUpToDate: boolean) => {
    const { since, heardBefore } = followed.get(of) ?? { since: 0, heardBefore: 0 }
    const heard = pricesOf({ heard: listener.heard.slice(heardBefore) }).filter((each) => each.coin === of)
    assert.strictEqual(new Set(heard.map(({ at }) => at)).size, heard.length, "nothing comes twice")
    const wanted = memoryOf(of).after(since)
    const inTime = heard.toSorted((a, b) => a.at - b.at)
    const missing = wanted.filter(({ at }) => !heard.some((each) => each.at === at))
    for (const { at } of missing) {
      const next = inTime.find((each) => each.at > at)
      if (isUpToDate || next !== undefined) assert.isTrue(next?.gap, `${of} ${at}: a gap is marked`)
    }
    for (const each of inTime.filter(({ gap }) => gap)) {
      const before = wanted.filter(({ at }) => at < each.at).at(-1)?.at
      assert.isTrue(
        missing.some(({ at }) => at === before),
        `${of} ${each.at}: nothing is marked that is none`,
      )
    }
  }

  const readable = () => {
    listener.isBehind = false
    listener.hasRoom = true
    attendance.advance()
  }

  const take = (each: Step) => {
    if (each.do === "tick") {
      const memory = memoryOf(each.coin)
      const tick = tickAt(source, each.coin, (memory.position - beginning) / 1000 + 1)
      memory.add(tick)
      const topic = topicOf(lineOf(each.coin))
      if (publisher.hasListeners(topic)) publisher.publish(topic, frames.of(tick, memory, "spot"))
    } else if (each.do === "subscribe") {
      const memory = memoryOf(each.coin)
      const after = each.back === null ? undefined : memory.position - each.back * 1000
      const since = Math.min(after ?? memory.position, memory.position)
      const there = followed.get(each.coin)
      const subscription = `s${++made}`
      if (there === undefined) {
        followed.set(each.coin, { since, heardBefore: listener.heard.length, subscriptions: [subscription] })
      } else {
        there.since = Math.min(there.since, since)
        there.subscriptions.push(subscription)
      }
      attendance.due(attendance.follow(subscription, lineOf(each.coin), memory, after))
      attendance.advance()
    } else if (each.do === "unsubscribe") {
      const there = followed.get(each.coin)
      const subscription = there?.subscriptions.pop()
      if (there === undefined || subscription === undefined) return
      if (there.subscriptions.length === 0) check(each.coin, false)
      attendance.forgo(subscription, [lineOf(each.coin)])
      if (there.subscriptions.length === 0) followed.delete(each.coin)
    } else if (each.do === "full") listener.hasRoom = false
    else if (each.do === "pause") {
      listener.isBehind = true
      attendance.pause()
    } else readable()
  }

  for (const each of steps) take(each)
  readable()
  for (const each of followed.keys()) check(each, true)
  return { listener, attendance, followed, memoryOf }
}

describe("A socket that listens to price feeds", () => {
  it("gets every tick once, in whatever order it subscribes, is full, falls behind and reads; or is told of the gap", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        live(steps)
      }),
      { numRuns: 400 },
    )
  })

  it("a replay that has to wait for room goes on where it stopped, and then with what came meanwhile", () => {
    const { recorder, publisher } = makeRoom()
    const memory = new Memory(source, "BTC", beginning)
    for (let second = 1; second <= 10; second++) memory.add(tickAt(source, "BTC", second))
    const listener = recorder()
    let room = 3
    Object.defineProperty(listener, "hasRoom", { get: () => listener.heard.length < room })
    const frames = new Frames()
    const attendance = new Attendance(listener, frames)
    attendance.due(attendance.follow("s", lineOf("BTC"), memory, beginning + 4_000))
    attendance.advance()
    const seconds = () => pricesOf(listener).map(({ at }) => (at - beginning) / 1000)
    assert.deepStrictEqual(seconds(), [5, 6, 7])
    memory.add(tickAt(source, "BTC", 11))
    assert.isFalse(publisher.hasListeners(topicOf(lineOf("BTC"))))
    room = 5
    attendance.advance()
    assert.deepStrictEqual(seconds(), [5, 6, 7, 8, 9])
    room = 100
    attendance.advance()
    assert.deepStrictEqual(seconds(), [5, 6, 7, 8, 9, 10, 11])
    assert.isTrue(publisher.hasListeners(topicOf(lineOf("BTC"))))
  })

  it("who has from elsewhere what is not here yet gets it no second time", () => {
    const { recorder, publisher } = makeRoom()
    const memory = new Memory(source, "BTC", beginning)
    const listener = recorder()
    const attendance = new Attendance(listener, new Frames())
    attendance.follow("s", lineOf("BTC"), memory, beginning + 2_000)
    assert.isTrue(attendance.advance())
    for (const second of [1, 2]) {
      memory.add(tickAt(source, "BTC", second))
      assert.strictEqual(attendance.advance(), second === 1)
    }
    assert.isEmpty(listener.heard)
    assert.isTrue(publisher.hasListeners(topicOf(lineOf("BTC"))))
  })
})
