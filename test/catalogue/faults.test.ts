import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { becomesSame, followingAt, loaded, wrongAnnouncements } from "./support/follower.ts"
import { venueSide } from "./support/venueSide.ts"

const hour = 3_600_000
const kinds = [
  { kind: "down" },
  { kind: "rate_limited", retry_after_s: 0 },
  { kind: "server_error" },
  { kind: "slow", delay_ms: 200 },
  { kind: "truncated" },
  { kind: "html" },
  { kind: "wrong_types" },
  { kind: "clock_skew" },
]

layer(
  testFoundation({
    "catalogue.sweep-every": "200ms",
    "catalogue.news-every": "200ms",
    "catalogue.closed-window": "2h",
    "upstream.gamma.rate": "5000",
  }),
  { excludeTestServices: true },
)("The catalogue follower, with every kind of trouble at five per cent", (it) => {
  it.effect(
    "comes to the same in the end, each market announced once",
    () =>
      Effect.gen(function* () {
        const startedAt = Date.now()
        const { url, simulation } = yield* runningVenue(33, { genesis: undefined })
        simulation.freeze()
        const side = venueSide(simulation)
        for (const each of kinds) {
          const body = JSON.stringify({ upstream: "gamma", channel: "http", share: 0.05, ...each })
          yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body }))
        }
        yield* Effect.gen(function* () {
          yield* loaded
          simulation.advance(hour / 2)
          const venue = side.catalogue()
          yield* becomesSame(venue, "60 seconds", Date.now() - 2 * hour)
          assert.deepStrictEqual((yield* wrongAnnouncements(venue, startedAt)).slice(0, 10), [])
          const { faults } = (yield* Effect.promise(async () => (await fetch(`${url}/_sim/faults`)).json())) as {
            readonly faults: ReadonlyArray<{ readonly kind: string; readonly hits: number }>
          }
          for (const { kind, hits } of faults) assert.isAbove(hits, 0, kind)
        }).pipe(Effect.provide(followingAt(url)))
      }),
    150_000,
  )
})
