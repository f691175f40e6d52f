import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { coins, tickId } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { makeIntake } from "#src/ticks/Intake.ts"
import { makeTickHistory } from "#src/ticks/TickHistory.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { eventually } from "#test/support/eventually.ts"
import { runningVenue } from "#test/support/venue.ts"
import {
  averages,
  equalsTruth,
  follow,
  inTimeOf,
  pass,
  platform,
  secondsOf,
  stop,
  streams,
  tickWorld,
} from "./support.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Trades do not matter here. */
const quiet = { rate: 1 }
const shortHistory = { "ticks.history": "5m", "ticks.ready-history": "4m" }

describe("Tick followers", () => {
  it.live("followDataStreams loads its history, then every live second, equal to the venue's data", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(31, quiet)
      simulation.freeze()
      const start = secondsOf(simulation)
      const minutes = isSoak ? 180 : 11
      const from = start - minutes * 60
      yield* Effect.gen(function* () {
        const health = yield* Health
        yield* follow(streams, simulation)
        const state = Effect.map(health.report, ({ dependencies }) => dependencies["ticks"])
        yield* eventually(
          "readiness reports loading",
          // On a busy machine the first report may be that the check took too long.
          Effect.map(state, (ticks) => ticks?.state === "down" && /loading/.test(ticks.detail ?? "")),
        )
        yield* eventually(
          "readiness is up",
          Effect.map(state, (ticks) => ticks?.state === "up"),
          "40 seconds",
        )
        yield* equalsTruth(url, streams, from, start - 5)
        const tail = yield* TickTail
        // Before the socket connects, ticks come from the history, and only newer ones are published.
        yield* eventually(
          "a live second is published",
          Effect.gen(function* () {
            yield* pass(streams, simulation, 1)
            const published = yield* tail.read(streams, "BTC", "0", 10_000)
            return (published.at(-1)?.at ?? 0) > start * 1000
          }),
        )
        const live = secondsOf(simulation)
        yield* pass(streams, simulation, 15)
        yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5)
        const store = yield* TickStore
        for (const coin of coins) {
          const both = Effect.gen(function* () {
            const published = yield* tail.read(streams, coin, "0", 10_000)
            const stored = yield* store.read(streams, coin, (live + 1) * 1000, simulation.now() + 1)
            return {
              published: published
                .filter(({ at }) => at > live * 1000)
                .map(({ id, price, bid, ask }) => [id, price, bid, ask]),
              stored: stored.map((tick) => [tickId(streams, tick), tick.price, tick.bid, tick.ask]),
            }
          })
          yield* eventually(
            "the newest tick is both stored and published",
            Effect.map(both, ({ published, stored }) => published.length === stored.length),
          )
          const { published, stored } = yield* both
          assert.deepStrictEqual(published, stored)
        }
      }).pipe(Effect.provide(tickWorld(url, { "ticks.history": `${minutes}m`, "ticks.ready-history": `${minutes}m` })))
    }),
  )

  it.live("history that readiness waits for is loaded, however late its first request", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(35, quiet)
      simulation.freeze()
      yield* Effect.gen(function* () {
        const lease = yield* (yield* Leases).seize(`oracle-feed/${streams}`)
        const history = yield* makeTickHistory(yield* makeIntake(streams, lease))
        simulation.advance(20_000)
        yield* history.pass
        assert.deepStrictEqual(yield* history.readiness, Option.none())
      }).pipe(
        Effect.provideService(Clock.Clock, inTimeOf(simulation)(yield* Clock.Clock)),
        Effect.provide(tickWorld(url, { "ticks.history": "5m", "ticks.ready-history": "5m" })),
      )
    }),
  )

  it.live("a restart loses and duplicates no tick", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(32, quiet)
      simulation.freeze()
      const from = secondsOf(simulation) - 240
      const platformFrom = secondsOf(simulation) - 100
      yield* Effect.gen(function* () {
        for (let life = 0; life < (isSoak ? 4 : 2); life++) {
          const fibers = [yield* follow(streams, simulation), yield* follow(platform, simulation)]
          yield* pass(streams, simulation, 8)
          yield* pass(platform, simulation, 8)
          for (const fiber of fibers) yield* stop(fiber)
          simulation.advance(17_000)
        }
        yield* follow(streams, simulation)
        yield* follow(platform, simulation)
        yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5)
        yield* equalsTruth(url, platform, platformFrom, secondsOf(simulation) - 5)
      }).pipe(Effect.provide(tickWorld(url, shortHistory)))
    }),
  )

  it.live("followPlatform starts with the snapshot, continues live and records missing seconds as gaps", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(33, quiet)
      simulation.freeze()
      const from = secondsOf(simulation) - 110
      yield* Effect.gen(function* () {
        yield* follow(platform, simulation)
        yield* equalsTruth(url, platform, from, secondsOf(simulation) - 5)
        yield* pass(platform, simulation, 15)
        yield* equalsTruth(url, platform, from, secondsOf(simulation) - 5)
      }).pipe(Effect.provide(tickWorld(url, shortHistory)))
    }),
  )

  for (const [socket, credentials] of [
    ["the older socket", {}],
    [
      "PolyBolt",
      {
        "upstream.polybolt-key": "simulated-key",
        "upstream.polybolt-secret": "simulated-secret",
        "upstream.polybolt-passphrase": "simulated",
      },
    ],
  ] as const) {
    it.live(`B5: the averages that markets settle on come from ${socket} beside its prices`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(36, quiet)
        simulation.freeze()
        const from = secondsOf(simulation) - 110
        yield* Effect.gen(function* () {
          yield* follow(averages, simulation)
          if (isSoak) yield* follow(platform, simulation)
          yield* equalsTruth(url, averages, from, secondsOf(simulation) - 5)
          yield* pass(averages, simulation, 15)
          yield* equalsTruth(url, averages, from, secondsOf(simulation) - 5)
        }).pipe(Effect.provide(tickWorld(url, { ...shortHistory, ...credentials })))
      }),
    )
  }

  it.live("older history is loaded in the background, newest first, while live ticks continue", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(34, quiet)
      simulation.freeze()
      const start = secondsOf(simulation)
      const minutes = isSoak ? 120 : 20
      const oldest = start - minutes * 60
      yield* Effect.gen(function* () {
        const store = yield* TickStore
        yield* follow(streams, simulation)
        const oldestLoaded = Effect.map(store.missing(streams, oldest, start - 5), (all) =>
          Math.max(oldest, ...all.map(({ to }) => to)),
        )
        let reached = start
        yield* eventually(
          `${minutes} minutes are stored`,
          Effect.map(oldestLoaded, (reachedNow) => {
            assert.isAtMost(reachedNow, reached)
            reached = reachedNow
            return reachedNow === oldest
          }),
        )
        yield* equalsTruth(url, streams, oldest, start - 5)
      }).pipe(
        Effect.provide(
          tickWorld(url, { "ticks.history": `${minutes}m`, "ticks.ready-history": isSoak ? "15m" : "5m" }),
        ),
      )
    }),
  )
})
