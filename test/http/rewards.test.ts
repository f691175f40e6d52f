import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { rewardsOf } from "#src/simulator/world/MakerPayouts.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()("test/http/Venue") {}

const stores = Layer.unwrap(
  Effect.map(Venue, ({ url }) =>
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "sim.port": new URL(url).port,
    }),
  ),
)

const world = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(stores),
  Layer.provideMerge(Layer.effect(Venue, runningVenue(63))),
)

layer(world, { excludeTestServices: true })("Rewards", (it) => {
  it.effect("are those that the venue pays to makers, and say so when the venue is down", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      const { key } = yield* keyOf("starter")
      const { venue } = simulation.model.world
      const open = venue.markets.filter(({ closed, legs }) => !closed && legs === undefined)
      const paid = open.filter((market) => rewardsOf(market).daily > 0)
      assert.isAbove(paid.length, 10)

      const { json, headers, text } = yield* askWith(key, "/v3/rewards/markets")
      assert.strictEqual(json.source, "clob", text)
      assert.match(String(headers["x-data-age-ms"]), /^\d+$/)
      assert.deepStrictEqual([json.data.count, json.data.next_cursor], [paid.length, "LTE="])
      const shown = json.data.data.map((row: Record<string, unknown>) => [
        row["condition_id"],
        row["native_daily_rate"],
        row["total_daily_rate"],
        row["rewards_min_size"],
        row["rewards_max_spread"],
      ])
      const expected = paid.map((market) => {
        const { daily, minSize, maxSpread } = rewardsOf(market)
        return [market.conditionId.padEnd(66, "0"), daily, daily, minSize, maxSpread]
      })
      assert.deepStrictEqual(shown, expected)
      const [config] = json.data.data[0].rewards_config
      assert.containsAllKeys(config, ["id", "asset_address", "start_date", "end_date", "rate_per_day", "total_rewards"])
      assert.deepInclude((yield* askWith(key, "/v3/rewards/markets?next_cursor=LTE%3D")).json.data, { count: 0 })
      assert.deepInclude((yield* askWith(key, "/v3/rewards/markets?sponsored=true")).json.data, { count: 0 })

      const [first] = paid
      const one = yield* askWith(key, `/v3/rewards/markets/${first?.conditionId}`)
      assert.deepInclude(one.json.data.data[0], {
        question: first?.plan.question,
        market_slug: first?.plan.slug,
        native_daily_rate: first && rewardsOf(first).daily,
      })
      const unpaid = open.find((market) => rewardsOf(market).daily === 0)
      const none = yield* askWith(key, `/v3/rewards/markets/${unpaid?.conditionId}`)
      assert.deepStrictEqual([none.status, none.json.data.data], [200, []])

      const refused = [
        [`/v3/rewards/markets/0x${"ab".repeat(32)}`, 404, /no market/],
        ["/v3/rewards/markets/0x12", 400, /64 hexadecimal digits/],
        ["/v3/rewards/markets?sponsored=maybe", 400, /"true".*"false"/],
        ["/v3/rewards/markets?next_cursor=nonsense", 400, /next_cursor/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      assert.strictEqual((yield* askWith((yield* keyOf("free")).key, "/v3/rewards/markets")).status, 402)

      yield* Effect.promise(() =>
        fetch(`${url}/_sim/faults`, {
          method: "POST",
          body: JSON.stringify({ upstream: "clob", channel: "http", kind: "server_error" }),
        }),
      )
      const [, second] = paid
      const down = yield* askWith(key, `/v3/rewards/markets/${second?.conditionId}`)
      assert.strictEqual(down.status, 503, down.text)
      assert.match(down.json.error, /venue does not answer/)
    }),
  )
})
