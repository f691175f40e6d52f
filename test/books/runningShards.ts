import { assert } from "@effect/vitest"
import { Effect, Layer, Metric, Option } from "effect"
import { orderBooks } from "#actors/orderBooks.ts"
import { Baselines } from "#src/books/Baselines.ts"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { Stores } from "#src/roles/Stores.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { eventually } from "#test/support/eventually.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { busyMarkets, tokensOf } from "./busyMarkets.ts"

const genesis = 1_794_700_800_000

export const servicesAt = (url: string) =>
  Books.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(BookCache.layer, Baselines.layer, ClobRest.layer)),
    Layer.provideMerge(Dictionary.layer),
    Layer.provideMerge(upstreamsAt(url)),
  )

export const runner = orderBooks.pipe(
  Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
)

/** Number of resyncs for these reasons. */
export const resyncs = (reasons: ReadonlyArray<string>) =>
  Effect.map(Metric.snapshot, (all) =>
    all.reduce((sum, metric) => {
      const counts = metric.id === "presage_books_resyncs_total" && metric.type === "Counter"
      return counts && reasons.includes(metric.attributes?.["reason"] ?? "") ? sum + Number(metric.state.count) : sum
    }, 0),
  )

/** A venue, the tokens of its busiest markets, and assertions on the followed books. */
export const prepared = (seed: number, count: number) =>
  Effect.gen(function* () {
    const started = performance.now()
    const clock = () => genesis + Math.floor(performance.now() - started)
    const venue = yield* runningVenue(seed, { genesis, clock })
    const tokens = tokensOf(venue.simulation, busyMarkets(venue.simulation, count))
    const faults = `${venue.url}/_sim/faults`
    const body = (kind: string, more: object) => JSON.stringify({ upstream: "clob", channel: "socket", kind, ...more })
    const fault = (kind: string, more: object) =>
      Effect.promise(() => fetch(faults, { method: "POST", body: body(kind, more) }))
    const hits = Effect.promise(async () => {
      const { faults: all } = (await (await fetch(faults)).json()) as {
        readonly faults: ReadonlyArray<{ readonly hits: number }>
      }
      return all[0]?.hits ?? 0
    })
    const clearFaults = Effect.promise(() => fetch(faults, { method: "DELETE" }))
    const allFollowed = (what: string, expected = tokens) =>
      Effect.flatMap(BookCache, (cache) =>
        eventually(
          what,
          Effect.map(cache.quotes(expected), (quotes) => quotes.size === expected.length),
          "30 seconds",
        ),
      )
    /** With the venue frozen, every followed book equals the venue's within seconds, to the last level. */
    const allExact = (what: string, expected = tokens) =>
      Effect.gen(function* () {
        const cache = yield* BookCache
        const rest = yield* ClobRest
        venue.simulation.freeze()
        const shown = yield* rest.books(expected)
        assert.lengthOf(shown, expected.length)
        const matches = Effect.forEach(shown, ({ token, bids, asks }) =>
          Effect.map(
            cache.depth(token),
            (depth) =>
              Option.isSome(depth) &&
              JSON.stringify([depth.value.bids, depth.value.asks]) === JSON.stringify([bids, asks]),
          ),
        )
        yield* eventually(
          what,
          Effect.map(matches, (all) => all.every((same) => same)),
          "10 seconds",
        )
        venue.simulation.thaw()
      })
    return { ...venue, tokens, fault, hits, clearFaults, allFollowed, allExact }
  })
