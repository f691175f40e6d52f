import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { becomesSame, faultHits, followedVenue, loaded, wrongAnnouncements } from "./support/follower.ts"

const minute = 60_000
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
    "catalogue.sweep-every": "2s",
    "catalogue.news-every": "1s",
    "catalogue.closed-window": "30m",
    "upstream.gamma.rate": "5000",
  }),
  { excludeTestServices: true },
)("The catalogue follower with five per cent of each fault", (it) => {
  it.effect(
    "converges to the venue's catalogue and announces each market once",
    () =>
      Effect.gen(function* () {
        const { url, simulation, now, following, catalogue } = yield* followedVenue(33)
        const startedAt = now()
        for (const each of kinds) {
          const body = JSON.stringify({ upstream: "gamma", channel: "http", share: 0.05, ...each })
          yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body }))
        }
        yield* Effect.gen(function* () {
          yield* loaded
          simulation.advance((process.env.PRESAGE_SOAK === "1" ? 30 : 10) * minute)
          const venue = catalogue()
          yield* becomesSame(venue, "60 seconds", startedAt)
          assert.deepStrictEqual((yield* wrongAnnouncements(venue, startedAt, now())).slice(0, 10), [])
          // The follower goes on reading, so each fault is met sooner or later.
          const isMet = Effect.map(faultHits(url), (hits) => [...hits.values()].every((count) => count > 0))
          yield* eventually("every kind of fault was met", isMet, "60 seconds")
          assert.sameMembers(
            [...(yield* faultHits(url)).keys()],
            kinds.map(({ kind }) => kind),
          )
        }).pipe(Effect.provide(following))
      }),
    600_000,
  )
})
