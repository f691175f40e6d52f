import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { coins, type TickSource } from "#src/domain/Tick.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { serving } from "#test/http/support/serving.ts"
import { runningVenue } from "#test/support/venue.ts"
import { equalsTruth, follow, pass, platform, secondsOf, streams, tickWorld, truthOf } from "./support.ts"

const server = (url: string) =>
  ApiServer.pipe(
    Layer.provideMerge(serving),
    Layer.provideMerge(tickWorld(url, { port: "0", host: "127.0.0.1", "ticks.history": "25m" })),
    Layer.orDie,
  )

interface TickJson {
  readonly timestamp: number
  readonly source: TickSource
  readonly data: { readonly price: number; readonly bid: number; readonly ask: number }
}

/** The venue's prices are multiples of 10⁻⁸ with few enough digits for a double to be exact. */
const units = (price: number) => Math.round(price * 1e8)

describe("GET /v1/crypto/ticks", () => {
  it.live.each(process.env.PRESAGE_SOAK === "1" ? [71, 72, 73, 74] : [71])(
    "returns the venue's ticks, cached and live (seed %i)",
    (seed) =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(seed, { rate: 1 })
        simulation.freeze()
        const from = secondsOf(simulation) - 1450
        const platformFrom = secondsOf(simulation) - 100
        yield* Effect.gen(function* () {
          yield* follow(streams, simulation)
          yield* follow(platform, simulation)
          yield* pass(streams, simulation, 5)
          yield* pass(platform, simulation, 5)
          const to = secondsOf(simulation) - 5
          yield* equalsTruth(url, streams, from, to)
          yield* equalsTruth(url, platform, platformFrom, to)
          const { key } = yield* keyOf("growth")
          for (const coin of coins) {
            const query = `symbol=${coin}&from=${from * 1000}&to=${(to + 1) * 1000}`
            const { json } = yield* askWith(key, `/v1/crypto/ticks?${query}`)
            const ofSource = (source: TickSource) =>
              (json.ticks as ReadonlyArray<TickJson>)
                .filter((tick) => tick.source === source && (source === streams || tick.timestamp >= platformFrom))
                .map(({ timestamp, data }) => [timestamp, units(data.price), units(data.bid), units(data.ask)])
            for (const [source, since] of [
              [streams, from],
              [platform, platformFrom],
            ] as const) {
              const { ticks } = yield* truthOf(url, source, coin, since, to)
              const expected = ticks.map(({ second, price, bid, ask }) => [second, price, bid ?? price, ask ?? price])
              assert.isAbove(expected.length, 50)
              assert.deepStrictEqual(ofSource(source), expected, `${source} ${coin}`)
            }
          }
        }).pipe(Effect.provide(server(url)))
      }),
  )
})
