import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Hosts, type Place } from "#src/webhooks/delivery/Hosts.ts"

const origin = "https://a.example.com"
const slow = 2_000

/** Attempts one after the other, each as long as it says. */
const attempts = (hosts: Hosts, from: number, millis: ReadonlyArray<number>) => {
  let now = from
  for (const took of millis) {
    const place = hosts.enter("account", origin, now, 8)
    assert(place !== undefined)
    now += took
    hosts.leave(place, now, took > slow)
  }
  return now
}

describe("Hosts", () => {
  it("have so many places for each account, and no more, whatever comes and goes", () => {
    const step = fc.record({
      account: fc.constantFrom("a", "b"),
      enters: fc.boolean(),
      cap: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const hosts = new Hosts()
        const taken = new Map<string, Array<Place>>([
          ["a", []],
          ["b", []],
        ])
        for (const [now, { account, enters, cap }] of steps.entries()) {
          const places = taken.get(account) ?? []
          const left = enters ? undefined : places.shift()
          if (left !== undefined) hosts.leave(left, now, false)
          if (!enters) continue
          const place = hosts.enter(account, origin, now, cap)
          assert.strictEqual(place !== undefined, places.length < cap)
          if (place !== undefined) places.push(place)
        }
      }),
    )
  })

  it("give a place back once", () => {
    const hosts = new Hosts()
    const place = hosts.enter("a", origin, 0, 1)
    assert(place !== undefined)
    hosts.leave(place, 1, false)
    hosts.leave(place, 1, false)
    assert.isDefined(hosts.enter("a", origin, 2, 1))
    assert.isUndefined(hosts.enter("a", origin, 2, 1))
  })

  it("are slow when most attempts were, and quick again when most are", () => {
    const hosts = new Hosts()
    assert.isFalse(hosts.isSlow("account", origin, 0, slow))
    let now = attempts(hosts, 0, [5_000, 5_000, 5_000])
    // Too few to tell.
    assert.isFalse(hosts.isSlow("account", origin, now, slow))
    now = attempts(hosts, now, [5_000])
    assert.isTrue(hosts.isSlow("account", origin, now, slow))
    assert.isFalse(hosts.isSlow("account", "https://b.example.com", now, slow))
    now = attempts(hosts, now, [10, 10, 10])
    assert.isTrue(hosts.isSlow("account", origin, now, slow))
    now = attempts(hosts, now, [10])
    assert.isFalse(hosts.isSlow("account", origin, now, slow))
  })

  it("are slow as soon as enough attempts are taking too long, before any has ended", () => {
    const hosts = new Hosts()
    for (let i = 0; i < 4; i++) hosts.enter("account", origin, 0, 8)
    assert.isFalse(hosts.isSlow("account", origin, slow, slow))
    assert.isTrue(hosts.isSlow("account", origin, slow + 1, slow))
  })

  it("that are slow for one account are not therefore slow for the others", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [5_000, 5_000, 5_000, 5_000])
    for (let i = 0; i < 8; i++) hosts.enter("account", origin, now, 8)
    const later = now + 5_000
    assert.isTrue(hosts.isSlow("account", origin, later, slow))
    assert.isFalse(hosts.isSlow("another", origin, later, slow))
    assert.isTrue(hosts.stay("another", origin, later, 8, () => undefined))
  })

  it("are judged by what was lately", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [5_000, 5_000, 5_000, 5_000])
    assert.isFalse(hosts.isSlow("account", origin, now + 11 * 60_000, slow))
  })

  it("send a thousand away so that few come back in any second", () => {
    const hosts = new Hosts()
    for (let i = 0; i < 8; i++) hosts.enter("a", origin, 0, 8)
    const now = 5_000
    const perSecond = new Map<number, number>()
    for (let i = 0; i < 1000; i++) {
      const wait = hosts.sendAway("a", origin, now, 8, (i % 100) / 100)
      assert.isAtMost(wait, 120_000)
      const second = Math.floor(wait / 1000)
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
    }
    assert.isAtMost(Math.max(...perSecond.values()), 100)
  })

  it("let somebody stay where a place will be free in a moment, and not where it will not", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [10, 10, 10])
    const place = hosts.enter("account", origin, now, 1)
    assert(place !== undefined)
    let told = 0
    const onFree = () => told++
    assert.isTrue(hosts.stay("account", origin, now, 1, onFree))
    hosts.leave(place, now + 5, false)
    assert.strictEqual(told, 1)
    const next = hosts.enter("account", origin, now + 5, 1)
    assert(next !== undefined)
    assert.isTrue(hosts.stay("account", origin, now + 6, 1, onFree))
    hosts.leaveQueue("account", origin, onFree)
    assert.isFalse(hosts.stay("account", origin, now + 2_000, 1, onFree))
    hosts.leave(next, now + 2_000, false)
    assert.strictEqual(told, 1)
  })
})
