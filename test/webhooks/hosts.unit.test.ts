import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type HostSlot, Hosts } from "#src/webhooks/delivery/Hosts.ts"

const origin = "https://a.example.com"
const slow = 2_000

/** Sequential attempts of the given durations. */
const attempts = (hosts: Hosts, from: number, millis: ReadonlyArray<number>) => {
  let now = from
  for (const took of millis) {
    const place = hosts.acquire("account", origin, now, 8)
    assert(place !== undefined)
    now += took
    hosts.release(place, now, took > slow)
  }
  return now
}

describe("Hosts", () => {
  it("have a limited number of slots for each account at any time", () => {
    const step = fc.record({
      account: fc.constantFrom("a", "b"),
      enters: fc.boolean(),
      cap: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const hosts = new Hosts()
        const taken = new Map<string, Array<HostSlot>>([
          ["a", []],
          ["b", []],
        ])
        for (const [now, { account, enters, cap }] of steps.entries()) {
          const places = taken.get(account) ?? []
          const left = enters ? undefined : places.shift()
          if (left !== undefined) hosts.release(left, now, false)
          if (!enters) continue
          const place = hosts.acquire(account, origin, now, cap)
          assert.strictEqual(place !== undefined, places.length < cap)
          if (place !== undefined) places.push(place)
        }
      }),
    )
  })

  it("release a slot once", () => {
    const hosts = new Hosts()
    const place = hosts.acquire("a", origin, 0, 1)
    assert(place !== undefined)
    hosts.release(place, 1, false)
    hosts.release(place, 1, false)
    assert.isDefined(hosts.acquire("a", origin, 2, 1))
    assert.isUndefined(hosts.acquire("a", origin, 2, 1))
  })

  it("are slow while most recent attempts were slow", () => {
    const hosts = new Hosts()
    assert.isFalse(hosts.isSlow("account", origin, 0, slow))
    let now = attempts(hosts, 0, [5_000, 5_000, 5_000])
    // Too few to decide.
    assert.isFalse(hosts.isSlow("account", origin, now, slow))
    now = attempts(hosts, now, [5_000])
    assert.isTrue(hosts.isSlow("account", origin, now, slow))
    assert.isFalse(hosts.isSlow("account", "https://b.example.com", now, slow))
    now = attempts(hosts, now, [10, 10, 10])
    assert.isTrue(hosts.isSlow("account", origin, now, slow))
    now = attempts(hosts, now, [10])
    assert.isFalse(hosts.isSlow("account", origin, now, slow))
  })

  it("are slow as soon as enough attempts in flight take too long", () => {
    const hosts = new Hosts()
    for (let i = 0; i < 4; i++) hosts.acquire("account", origin, 0, 8)
    assert.isFalse(hosts.isSlow("account", origin, slow, slow))
    assert.isTrue(hosts.isSlow("account", origin, slow + 1, slow))
  })

  it("are slow per account", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [5_000, 5_000, 5_000, 5_000])
    for (let i = 0; i < 8; i++) hosts.acquire("account", origin, now, 8)
    const later = now + 5_000
    assert.isTrue(hosts.isSlow("account", origin, later, slow))
    assert.isFalse(hosts.isSlow("another", origin, later, slow))
    assert.isTrue(hosts.waitForSlot("another", origin, later, 8, () => undefined))
  })

  it("are judged by recent attempts only", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [5_000, 5_000, 5_000, 5_000])
    assert.isFalse(hosts.isSlow("account", origin, now + 11 * 60_000, slow))
  })

  it("spread a thousand postponed attempts so that few come back in any second", () => {
    const hosts = new Hosts()
    for (let i = 0; i < 8; i++) hosts.acquire("a", origin, 0, 8)
    const now = 5_000
    const perSecond = new Map<number, number>()
    for (let i = 0; i < 1000; i++) {
      const wait = hosts.backOff("a", origin, now, 8, (i % 100) / 100)
      assert.isAtMost(wait, 120_000)
      const second = Math.floor(wait / 1000)
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
    }
    assert.isAtMost(Math.max(...perSecond.values()), 100)
  })

  it("let an attempt wait only if a slot will be free soon", () => {
    const hosts = new Hosts()
    const now = attempts(hosts, 0, [10, 10, 10])
    const place = hosts.acquire("account", origin, now, 1)
    assert(place !== undefined)
    let reported = 0
    const onFree = () => reported++
    assert.isTrue(hosts.waitForSlot("account", origin, now, 1, onFree))
    hosts.release(place, now + 5, false)
    assert.strictEqual(reported, 1)
    const next = hosts.acquire("account", origin, now + 5, 1)
    assert(next !== undefined)
    assert.isTrue(hosts.waitForSlot("account", origin, now + 6, 1, onFree))
    hosts.cancelWait("account", origin, onFree)
    assert.isFalse(hosts.waitForSlot("account", origin, now + 2_000, 1, onFree))
    hosts.release(next, now + 2_000, false)
    assert.strictEqual(reported, 1)
  })
})
