import { assert } from "@effect/vitest"
import { Clock, type Duration, Effect, Layer, Schedule } from "effect"
import { catalogueFollower } from "#actors/catalogueFollower.ts"
import { sportsFeed } from "#actors/sportsFeed.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Foundation.ts"
import type { SimulatorOptions } from "#src/simulator/start.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { patientFor } from "#test/support/patience.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { ourSide } from "./ourSide.ts"
import { venueSide } from "./venueSide.ts"

const runner = Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))

/** A venue whose clock stands still until it is moved, and everything that is needed to follow it. */
export const followedVenue = (seed: number, more: Partial<SimulatorOptions> = {}) =>
  Effect.gen(function* () {
    const { url, simulation } = yield* runningVenue(seed, { rate: 2, ...more })
    simulation.freeze()
    const real = yield* Clock.Clock
    const since = performance.now()
    // The venue's time, which jumps with it, but goes on meanwhile: limits and back-off wait for it.
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
      /** The actors, for as long as the layer is there. */
      following: catalogueFollower.pipe(Layer.provide(upstreams), Layer.provide(runner)),
      scores: sportsFeed.pipe(Layer.provide(upstreams), Layer.provide(runner)),
      both: Layer.merge(catalogueFollower, sportsFeed).pipe(Layer.provide(upstreams), Layer.provide(runner)),
      catalogue: venueSide(simulation).catalogue,
    }
  })

/** How often each kind of fault has hit. */
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

/** All events of some kinds, in order. */
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

type Venue = ReturnType<ReturnType<typeof venueSide>["catalogue"]>

/** What differs from the venue. What was closed before a moment need not be there, but must be right if it is. */
export const differences = (venue: Venue, closedSince = 0) =>
  Effect.map(ourSide, (ours) => {
    const needed = (row: { readonly closed: unknown; readonly closed_at: string | null }) =>
      row.closed !== true || Date.parse(row.closed_at ?? "") >= closedSince
    const wanted = new Set(venue.events.filter(needed).map(({ id }) => id))
    return (["events", "markets"] as const).flatMap((table) => {
      const mine = new Map<number, object>(ours[table].map((row) => [row.id, row]))
      const wrong = venue[table].flatMap((row) => {
        const own: Readonly<Record<string, unknown>> | undefined = mine.get(row.id) as
          | Record<string, unknown>
          | undefined
        mine.delete(row.id)
        if (own === undefined)
          return wanted.has("event" in row ? row.event : row.id) ? [`${table} ${row.id} is missing`] : []
        return Object.entries(row).flatMap(([name, value]) =>
          own[name] === value || JSON.stringify(own[name]) === JSON.stringify(value)
            ? []
            : [`${table} ${row.id} ${name}: ${JSON.stringify(own[name])} instead of ${JSON.stringify(value)}`],
        )
      })
      return [...wrong, ...[...mine.keys()].map((id) => `${table} ${id} should not be there`)]
    })
  })

/** Waits until nothing differs; says what does when that takes too long. */
export const becomesSame = (venue: Venue, within: Duration.Input, closedSince = 0) =>
  Effect.gen(function* () {
    // To compare everything is work that would keep the follower from its own.
    const rest = Schedule.max([Schedule.spaced("1 second"), Schedule.during(patientFor(within))])
    const left = yield* Effect.repeat(differences(venue, closedSince), {
      schedule: rest,
      until: (list) => list.length === 0,
    }).pipe(Effect.andThen(differences(venue, closedSince)))
    assert.deepStrictEqual(left.slice(0, 10), [], `${left.length} differences after ${within}`)
  })

/** Each market is announced once as created and, when it is decided, once as resolved; what is old is not. */
export const wrongAnnouncements = (venue: Venue, startedAt: number, finishedAt: number) =>
  Effect.gen(function* () {
    const retention = 7 * 86_400_000
    const own = new Set((yield* ourSide).markets.map(({ id }) => id))
    const count = (events: ReadonlyArray<LoggedEvent>) => {
      const counts = new Map<number, number>()
      for (const { ref } of events) counts.set(Number(ref), (counts.get(Number(ref)) ?? 0) + 1)
      return counts
    }
    const created = count(yield* logged("market_created"))
    const resolved = count(yield* logged("market_resolved"))
    const wrong = (kind: string, id: number, at: string | null, times: number | undefined) => {
      const moment = Date.parse(at ?? "")
      const most = at === null || moment < startedAt - retention ? 0 : 1
      const least = at === null || moment < finishedAt - retention ? 0 : 1
      return (times ?? 0) < least || (times ?? 0) > most ? [`market ${id} was ${times ?? 0} times ${kind}`] : []
    }
    return venue.markets
      .filter(({ id }) => own.has(id))
      .flatMap((market) => [
        ...wrong("created", market.id, market.created_at, created.get(market.id)),
        ...wrong("resolved", market.id, market.closed_at, resolved.get(market.id)),
      ])
  })
