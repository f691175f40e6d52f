import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { phaseOf } from "#src/domain/Game.ts"
import { makeFirstGood, type SourceAnswer } from "#src/sports/firstGood.ts"
import { windowOf } from "#src/sports/historyWindow.ts"
import type { Sourced, SportsEvent } from "#src/sports/model.ts"
import { scoreOf } from "#src/sports/score.ts"

const state = { status: null, period: null, live: null, ended: null }

describe("the phase of a game", () => {
  it.each([
    [{}, "scheduled"],
    [{ status: "scheduled", live: false, ended: false }, "scheduled"],
    [{ status: "inprogress", live: true, ended: false, period: "Q2" }, "live"],
    [{ status: "break", period: "HT" }, "live"],
    [{ status: "inprogress", live: true, period: "OT" }, "live"],
    [{ status: "inprogress", live: true, ended: true }, "ended"],
    [{ period: "FT OT" }, "ended"],
    [{ status: "final", live: false }, "ended"],
    [{ status: "postponed", live: false, ended: false }, "postponed"],
    [{ period: "post" }, "postponed"],
    [{ status: "cancelled", ended: true }, "cancelled"],
    [{ status: "finished", ended: true, period: "CAN" }, "cancelled"],
  ] as const)("of %o is %s", (known, phase) => {
    assert.strictEqual(phaseOf({ ...state, ...known }), phase)
  })
})

const minute = 60_000
const now = 1_794_700_800_000

const eventWith = (score: string | null, heardAt: number | null, closed = false): SportsEvent => ({
  id: 1,
  slug: "a-b",
  title: "A vs. B",
  description: null,
  context: null,
  category: null,
  image: null,
  parent: null,
  series: 1,
  eventDate: null,
  startsAt: null,
  opensAt: null,
  endsAt: null,
  closedAt: null,
  active: true,
  closed,
  volume: null,
  volumeDay: null,
  liquidity: null,
  game: {
    id: "1",
    league: null,
    home: null,
    away: null,
    homeTeam: null,
    awayTeam: null,
    phase: "live",
    state: { ...state, score, elapsed: null, turn: null, finishedAt: null },
    heardAt,
  },
  markets: [],
})

describe("the freshness of a score", () => {
  it.each([
    [eventWith("1-0", now - 1_000), now - 30 * minute, "sports_socket", "live"],
    [eventWith("1-0", now - 5 * minute), now - 30 * minute, "sports_socket", "recent"],
    [eventWith("1-0", now - 11 * minute), now - 30 * minute, "sports_socket", "stale"],
    [eventWith("1-0", now - 11 * minute), now - 20_000, "catalogue", "live"],
    [eventWith("1-0", null), 0, "catalogue", "unknown"],
    [eventWith(null, now - 1_000), now, "sports_socket", "unknown"],
    [eventWith("1-0", now - 300 * minute, true), now, "sports_socket", "recent"],
  ] as const)("case %#", (event, at, source, freshness) => {
    const { source: from, freshness: fresh } = scoreOf(event, { source: "catalogue", at }, now)
    assert.deepStrictEqual([from, fresh], [source, freshness])
  })
})

describe("the times of a price history", () => {
  const asked = { interval: undefined, startTs: undefined, endTs: undefined, fidelity: undefined }
  const [first, last] = [1_794_000_000, 1_794_700_800]

  it("are the whole life of a game by default, in not too many points", () => {
    const { from, to, step } = windowOf(asked, first, last)
    assert.deepStrictEqual([from % step, to], [0, last])
    assert.isTrue(from >= first && from < first + step)
    assert.isAtMost((to - from) / step, 300)
  })

  it("follow the interval, the bounds and the fidelity", () => {
    const day = windowOf({ ...asked, interval: "1d", fidelity: 10 }, first, last)
    assert.deepStrictEqual([day.to, day.step], [last, 600])
    assert.isTrue(last - day.from <= 86_400 && last - day.from > 86_400 - 600)
    const part = windowOf({ ...asked, startTs: first + 1_200, endTs: first + 7_200, fidelity: 1 }, first, last)
    assert.deepStrictEqual([part.from, part.to, part.step], [first + 1_200, first + 7_200, 60])
    const beyond = windowOf({ ...asked, startTs: 5, endTs: 2_000_000_000 }, first, last)
    assert.isTrue(beyond.from >= first && beyond.to === last)
  })

  it("are coarser than asked for if there were too many points", () => {
    const { from, to, step } = windowOf({ ...asked, fidelity: 1 }, first, last)
    assert.isAbove(step, 60)
    assert.isAtMost((to - from) / step, 1_000)
  })
})

const answer = (source: Sourced<string>["source"], rest: Partial<Sourced<string>> = {}): Sourced<string> => ({
  value: source,
  source,
  fallback: false,
  stale: false,
  at: now,
  ...rest,
})
const good = (source: Sourced<string>["source"], rest: Partial<Sourced<string>> = {}): SourceAnswer<string> =>
  Effect.succeed(answer(source, rest))
const nothing: SourceAnswer<string> = Effect.succeed(undefined)
const down: SourceAnswer<string> = Effect.fail(new Error("down"))

describe("the first good source", () => {
  const ask = (sources: {
    readonly catalogue: SourceAnswer<string>
    readonly venue?: ReadonlyArray<SourceAnswer<string>>
    readonly isFinal?: boolean
  }) => makeFirstGood<string>(() => 60 * minute)("key", now, { venue: [], isFinal: false, ...sources })

  it.effect("is the catalogue while it is fresh, else the venue, else the stale catalogue", () =>
    Effect.gen(function* () {
      const old = good("catalogue", { stale: true, at: now - 5 * minute })
      const first = { catalogue: good("catalogue"), venue: [good("gamma")] }
      assert.strictEqual((yield* ask(first))?.source, "catalogue")
      assert.strictEqual((yield* ask({ catalogue: old, venue: [good("gamma")] }))?.source, "gamma")
      const second = yield* ask({ catalogue: old, venue: [down, good("gamma_alternate", { fallback: true })] })
      assert.deepInclude(second, { source: "gamma_alternate", fallback: true, stale: false })
      const third = yield* ask({ catalogue: old, venue: [down, down] })
      assert.deepInclude(third, { source: "catalogue", stale: true, at: now - 5 * minute })
    }),
  )

  it.effect("is the last good answer when even the catalogue is gone, and nothing once that is too old", () =>
    Effect.gen(function* () {
      const first = makeFirstGood<string>(() => 60 * minute)
      const broken = { catalogue: down, venue: [down], isFinal: false }
      assert.strictEqual((yield* Effect.flip(first("key", now, broken)))._tag, "NoSource")
      yield* first("key", now, { ...broken, catalogue: good("catalogue") })
      assert.deepInclude(yield* first("key", now + 50 * minute, broken), { stale: true, at: now })
      assert.strictEqual((yield* Effect.flip(first("key", now + 61 * minute, broken)))._tag, "NoSource")
      assert.strictEqual((yield* Effect.flip(first("another", now, broken)))._tag, "NoSource")
    }),
  )

  it.effect("is none when a source that answers knows of nothing", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* ask({ catalogue: nothing, venue: [nothing] }))
      assert.isUndefined(yield* ask({ catalogue: nothing, venue: [down], isFinal: true }))
      assert.strictEqual((yield* Effect.flip(ask({ catalogue: nothing, venue: [down] })))._tag, "NoSource")
    }),
  )
})
