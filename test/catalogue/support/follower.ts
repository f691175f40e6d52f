import { assert } from "@effect/vitest"
import { Clock, type Duration, Effect, Layer, Schedule } from "effect"
import { catalogueFollower } from "#actors/catalogueFollower.ts"
import { sportsFeed } from "#actors/sportsFeed.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import type { SimulatorOptions } from "#src/simulator/start.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { patientFor } from "#test/support/patience.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { storedCatalogue } from "./storedCatalogue.ts"
import { venueCatalogue } from "./venueCatalogue.ts"

const runner = Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))

/** A venue whose clock moves only on request, and the layers that follow it. */
export const followedVenue = (seed: number, more: Partial<SimulatorOptions> = {}) =>
  Effect.gen(function* () {
    const { url, simulation } = yield* runningVenue(seed, { rate: 2, ...more })
    simulation.freeze()
    const real = yield* Clock.Clock
    const since = performance.now()
    // The venue's time plus real time: rate limits and back-off need a clock that advances.
    const now = () => Math.round(simulation.now() + performance.now() - since)
    const clock = clockShowing(now, real)
    const upstreams = Layer.mergeAll(Gamma.layer, Dictionary.layer).pipe(
      Layer.provideMerge(upstreamsAt(url)),
      Layer.provideMerge(Layer.succeed(Clock.Clock, clock)),
    )
    return {
      url,
      simulation,
      now,
      upstreams,
      /** Layers that run the actors. */
      following: catalogueFollower.pipe(Layer.provide(upstreams), Layer.provide(runner)),
      scores: sportsFeed.pipe(Layer.provide(upstreams), Layer.provide(runner)),
      both: Layer.merge(catalogueFollower, sportsFeed).pipe(Layer.provide(upstreams), Layer.provide(runner)),
      catalogue: venueCatalogue(simulation).catalogue,
    }
  })

/** Hits by kind of fault. */
export const faultHits = (url: string) =>
  Effect.promise(async () => {
    const { faults } = (await (await fetch(`${url}/_sim/faults`)).json()) as {
      readonly faults: ReadonlyArray<{ readonly kind: string; readonly hits: number }>
    }
    return new Map(faults.map(({ kind, hits }) => [kind, hits]))
  })

export const isLoaded = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(sql`select 1 from catalogue_progress where name = 'first-load'`, (rows) => rows.length === 1),
)

export const loaded = eventually("the catalogue is loaded", isLoaded, "50 seconds")

/** All logged events of these kinds, in order. */
export const logged = (...kinds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const all: Array<LoggedEvent> = []
    for (;;) {
      const page = yield* log.read({ after: all.at(-1)?.seq ?? 0n, limit: 10_000, kinds })
      all.push(...page)
      if (page.length < 10_000) return all
    }
  })

type Venue = ReturnType<ReturnType<typeof venueCatalogue>["catalogue"]>

/** Ids of the events that must be stored. */
const requiredEvents = (venue: Venue, closedSince: number) =>
  venue.events
    .filter(({ closed, closed_at }) => closed !== true || Date.parse(closed_at ?? "") >= closedSince)
    .map(({ id }) => id)

/** How many of these events are missing or differ from the venue in being closed: much cheaper than all differences. */
const unfinished = (venue: Venue, required: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const stored = yield* sql<{ id: number; closed: boolean }>`select id, closed from event`
    const closed = new Map(stored.map((row) => [row.id, row.closed]))
    const isClosed = new Map(venue.events.map((event) => [event.id, event.closed]))
    return required.filter((id) => closed.get(id) !== isClosed.get(id)).length
  })

/** Differences from the venue. Events closed before `closedSince` are optional, but must be equal if stored. */
export const differences = (venue: Venue, closedSince = 0) =>
  Effect.map(storedCatalogue, (ours) => {
    const required = new Set(requiredEvents(venue, closedSince))
    return (["events", "markets"] as const).flatMap((table) => {
      const mine = new Map<number, object>(ours[table].map((row) => [row.id, row]))
      const wrong = venue[table].flatMap((row) => {
        const own: Readonly<Record<string, unknown>> | undefined = mine.get(row.id) as
          | Record<string, unknown>
          | undefined
        mine.delete(row.id)
        if (own === undefined)
          return required.has("event" in row ? row.event : row.id) ? [`${table} ${row.id} is missing`] : []
        return Object.entries(row).flatMap(([name, value]) =>
          own[name] === value || JSON.stringify(own[name]) === JSON.stringify(value)
            ? []
            : [`${table} ${row.id} ${name}: ${JSON.stringify(own[name])} instead of ${JSON.stringify(value)}`],
        )
      })
      return [...wrong, ...[...mine.keys()].map((id) => `${table} ${id} should not be there`)]
    })
  })

/** Waits until nothing differs; on a timeout the assertion shows the differences. */
export const becomesSame = (venue: Venue, within: Duration.Input, closedSince = 0) =>
  Effect.gen(function* () {
    // The comparison is expensive and would slow the follower down.
    const rest = Schedule.max([Schedule.spaced("1 second"), Schedule.during(patientFor(within))])
    const required = requiredEvents(venue, closedSince)
    let remaining: ReadonlyArray<string> = []
    const compare = Effect.gen(function* () {
      const left = yield* unfinished(venue, required)
      remaining =
        left > 0
          ? [`${left} events are missing, or closed only here or only there`]
          : yield* differences(venue, closedSince)
      return remaining.length === 0
    })
    yield* Effect.repeat(compare, { schedule: rest, until: (isSame) => isSame })
    assert.deepStrictEqual(remaining.slice(0, 10), [], `${remaining.length} differences after ${within}`)
  })

/** Each market must be announced once as created and once as resolved, unless that is older than the catalogue or the log. */
export const wrongAnnouncements = (venue: Venue, startedAt: number, finishedAt: number) =>
  Effect.gen(function* () {
    const retention = 7 * 86_400_000
    const own = new Set((yield* storedCatalogue).markets.map(({ id }) => id))
    const { sql } = yield* Postgres
    const [first] = yield* sql<{ at: Date }>`select at from catalogue_progress where name = 'begun'`
    const begun = first?.at.getTime() ?? startedAt
    const count = (events: ReadonlyArray<LoggedEvent>) => {
      const counts = new Map<number, number>()
      for (const { ref } of events) counts.set(Number(ref), (counts.get(Number(ref)) ?? 0) + 1)
      return counts
    }
    const created = count(yield* logged("market_created"))
    const resolved = count(yield* logged("market_resolved"))
    const wrong = (kind: string, id: number, at: string | null, times: number | undefined) => {
      const time = Date.parse(at ?? "")
      const max = at === null || time < startedAt ? 0 : 1
      const min = at === null || time < Math.max(begun, finishedAt - retention) ? 0 : 1
      return (times ?? 0) < min || (times ?? 0) > max ? [`market ${id} was ${times ?? 0} times ${kind}`] : []
    }
    return venue.markets
      .filter(({ id }) => own.has(id))
      .flatMap((market) => [
        ...wrong("created", market.id, market.created_at, created.get(market.id)),
        ...wrong("resolved", market.id, market.closed_at, resolved.get(market.id)),
      ])
  })
