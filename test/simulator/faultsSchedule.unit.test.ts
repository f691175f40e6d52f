import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Fault } from "#src/simulator/faults/Fault.ts"
import { Faults } from "#src/simulator/faults/Faults.ts"
import { type FaultSchedule, FaultTimeline } from "#src/simulator/faults/schedule.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { frozenVenue, genesis, type Venue } from "./frozenVenue.ts"

const range = (length: number) => Array.from({ length }, (_, i) => i)

const faultOf = (over: Partial<Fault>): Fault => ({
  id: "f1",
  upstream: "gamma",
  channel: "http",
  kind: "down",
  share: 1,
  parameters: {},
  path: null,
  from: 0,
  until: null,
  ...over,
})

const scheduleOf = (over: Partial<FaultSchedule>): FaultSchedule => ({
  seed: 3,
  rate_per_hour: 60,
  kinds: null,
  upstreams: null,
  reorgs: true,
  ...over,
})

describe("LiveFault", () => {
  const pattern = (seed: number, share: number) => {
    const faults = new Faults(seed, () => 0)
    faults.apply({ kind: "fault_on", fault: faultOf({ share }) })
    return range(1_000).map(() => faults.matching("http", "gamma", "/").some((live) => live.strike() !== undefined))
  }

  it("hits deterministically by seed, at about its share", () => {
    assert.deepStrictEqual(pattern(1, 0.3), pattern(1, 0.3))
    assert.notDeepEqual(pattern(1, 0.3), pattern(2, 0.3))
    const hits = pattern(1, 0.3).filter(Boolean).length
    assert.isAbove(hits, 240)
    assert.isBelow(hits, 360)
    assert.isTrue(pattern(1, 1).every(Boolean))
  })
})

describe("FaultTimeline", () => {
  const slots = 600

  it("depends only on its seed and the moment, has no overlapping faults and covers all kinds", () => {
    const first = range(slots).map((slot) => new FaultTimeline(scheduleOf({})).fault(slot))
    const again = new FaultTimeline(scheduleOf({}))
    assert.deepStrictEqual(
      range(slots)
        .reverse()
        .map((slot) => again.fault(slot))
        .reverse(),
      first,
    )
    assert.notDeepEqual(
      range(slots).map((slot) => new FaultTimeline(scheduleOf({ seed: 4 })).fault(slot)),
      first,
    )
    const faults = first.filter((fault) => fault !== undefined)
    faults.forEach((fault, i) => {
      assert.isAbove(fault.until, fault.from)
      assert.isAtMost(fault.until - fault.from, 60_000)
      assert.isAtMost(fault.until, faults[i + 1]?.from ?? Number.POSITIVE_INFINITY)
    })
    assert.lengthOf(new Set(faults.map(({ channel, kind }) => `${channel} ${kind}`)), 10 + 11)
    const reorgs = range(slots).flatMap((slot) => again.reorg(slot) ?? [])
    assert.strictEqual(reorgs.length + faults.length, slots)
    assert.isAbove(reorgs.length, slots * 0.15)
    assert.isTrue(reorgs.every(({ depth }) => depth >= 1 && depth <= 12))
  })

  it("uses only the given kinds and upstreams", () => {
    const timeline = new FaultTimeline(
      scheduleOf({ kinds: ["silent", "html"], upstreams: ["rtds", "data"], reorgs: false }),
    )
    const produced = new Set(
      range(200).map(
        (slot) => `${timeline.fault(slot)?.upstream} ${timeline.fault(slot)?.channel} ${timeline.fault(slot)?.kind}`,
      ),
    )
    assert.deepStrictEqual([...produced].sort(), ["data http html", "rtds socket silent"])
  })
})

describe("Fault schedule", () => {
  let venue: Venue
  beforeAll(async () => {
    venue = await frozenVenue()
  })
  afterAll(() => venue.stop())

  it("starts and ends faults by itself until it is switched off", async () => {
    const schedule = { seed: 9, rate_per_hour: 60, kinds: ["server_error"], upstreams: ["gamma"], reorgs: false }
    const failures = async () => {
      const answers = await Promise.all(range(60).map(() => venue.get("/gamma/sports")))
      return answers.filter(({ status }) => status >= 500).length
    }
    const on = await venue.control("POST", "/faults/schedule", schedule)
    assert.deepStrictEqual(on.body.schedule, schedule)
    const timeline = new FaultTimeline(scheduleOf({ ...schedule, kinds: ["server_error"], upstreams: ["gamma"] }))
    const fault = timeline.fault(timeline.slotAt(venue.sim.now()) + 1)
    assert.isDefined(fault)
    if (fault === undefined) return
    venue.sim.advance(fault.from - venue.sim.now() - 1)
    assert.strictEqual(await failures(), 0)
    venue.sim.advance(1)
    const [listed] = (await venue.control("GET", "/faults")).body.faults
    assert.deepStrictEqual([listed.id, listed.state, listed.kind], [fault.id, "active", "server_error"])
    assert.isAbove(await failures(), 0)
    assert.strictEqual((await venue.control("DELETE", `/faults/${fault.id}`)).status, 404)
    assert.strictEqual((await venue.control("DELETE", "/faults/schedule")).body.schedule, null)
    assert.strictEqual(await failures(), 0)
  })

  it("reorganises the chain", async () => {
    const { sim } = venue
    const seen: Array<readonly [number, number]> = []
    const stop = sim.on("reorg", (from, to) => seen.push([from, to]))
    await venue.control("POST", "/faults/schedule", {
      seed: 1,
      rate_per_hour: 3_600,
      kinds: ["slow"],
      upstreams: ["x"],
    })
    for (let tries = 0; tries < 60 && seen.length === 0; tries++) {
      const before = range(20).map((i) => sim.chain.hashOf(sim.head - i))
      const head = sim.head
      sim.advance(1_000)
      const [reorg] = seen
      if (reorg === undefined) continue
      for (const [i, hash] of before.entries()) {
        const replaced = head - i >= reorg[0] && head - i <= reorg[1]
        assert.strictEqual(sim.chain.hashOf(head - i) !== hash, replaced)
      }
    }
    assert.lengthOf(seen, 1)
    await venue.control("DELETE", "/faults/schedule")
    sim.advance(120_000)
    assert.lengthOf(seen, 1)
    stop()
  })
})

describe("Journal", () => {
  it("restores faults, but none that were switched off or have expired", () => {
    const path = join(mkdtempSync(join(tmpdir(), "presage-faults-")), "journal.jsonl")
    const opened = (now: number) => new Simulation(Journal.open(path, { seed: 2, genesis, scale: "brief" }), () => now)
    const before = opened(genesis + 1_000)
    const lasting = faultOf({ id: "f1", kind: "slow", parameters: { delay_ms: 5 } })
    const brief = faultOf({ id: "f2", until: genesis + 60_000 })
    for (const fault of [lasting, brief, faultOf({ id: "f3" })]) before.changeFaults({ kind: "fault_on", fault })
    before.changeFaults({ kind: "fault_off", id: "f3" })
    before.changeFaults({ kind: "fault_schedule", schedule: scheduleOf({ reorgs: false }) })
    const switched = ({ faults }: Simulation) =>
      faults
        .list()
        .map(({ fault }) => fault)
        .filter(({ id }) => id.startsWith("f"))
    assert.deepStrictEqual(switched(before), [lasting, brief])

    const soon = opened(genesis + 2_000)
    assert.deepStrictEqual(switched(soon), [lasting, brief])
    assert.deepStrictEqual(soon.faults.schedule, scheduleOf({ reorgs: false }))
    assert.strictEqual(soon.faults.nextId, "f4")

    const later = opened(genesis + 61_000)
    assert.deepStrictEqual(switched(later), [lasting])
    later.changeFaults({ kind: "fault_off", id: null })
    const last = opened(genesis + 62_000)
    assert.deepStrictEqual(last.faults.list(), [])
    assert.isUndefined(last.faults.schedule)
    assert.lengthOf(readFileSync(path, "utf8").trim().split("\n"), 7)
  })
})
