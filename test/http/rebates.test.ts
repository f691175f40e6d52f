import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

class Venue extends Context.Service<Venue, { readonly url: string; readonly simulation: Simulation }>()("test/Venue") {}

const venue = Layer.effect(Venue, runningVenue(63, { scale: process.env.PRESAGE_SOAK === "1" ? "tiny" : "brief" }))

/** A server whose only upstream is the venue. */
const server = Layer.unwrap(
  Effect.map(Venue, ({ url }) =>
    ApiServer.pipe(
      Layer.provideMerge(serving),
      Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "upstream.simulator-url": url })),
    ),
  ),
).pipe(Layer.provideMerge(venue))

const control = (url: string, method: string, body?: object) =>
  Effect.map(
    Effect.promise(() =>
      fetch(`${url}/_sim/faults`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
    ),
    ({ ok }) => assert.isTrue(ok),
  )

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The makers that the venue owes or paid most, with the sums of its books. */
const makers = ({ model }: Simulation, count: number) => {
  const { books } = model.world.venue
  const earned = model.wallets.map(({ address }, index) => ({
    address,
    total: books.rebates.get(index) + books.pendingRebate(index),
  }))
  return earned.sort((a, b) => b.total - a.total).slice(0, count)
}

layer(server, { excludeTestServices: true })("Rebates", (it) => {
  it.effect("are those of the venue's books, by market and day", () =>
    Effect.gen(function* () {
      const { simulation } = yield* Venue
      const { cutOver, venue: markets } = simulation.model.world
      const { key } = yield* keyOf("starter")
      for (const { address, total } of makers(simulation, 3)) {
        assert.isAbove(total, 0)
        let sum = 0
        for (let at = cutOver; dayOf(at) <= dayOf(simulation.now()); at += 86_400_000) {
          const path = `/v3/wallets/${address.toUpperCase().replace("0X", "0x")}/rebates?date=${dayOf(at)}`
          const { status, json, text } = yield* askWith(key, path)
          assert.strictEqual(status, 200, text)
          assert.deepInclude(json, {
            address,
            date: dayOf(at),
            rows_returned: json.rebates.length,
            source: "venue",
            provider_status: 200,
            provider_warning: null,
            hint: null,
          })
          const micros = json.rebates.map((row: { rebated_fees_usdc: string }) =>
            Math.round(Number(row.rebated_fees_usdc) * 1e6),
          )
          const ofDay = micros.reduce((all: number, each: number) => all + each, 0)
          assert.strictEqual(json.total_rebated_fees_usdc, exactAmount(ofDay))
          for (const row of json.rebates) {
            assert.deepInclude(row, { date: dayOf(at), maker_address: address })
            assert.isDefined(markets.marketWithCondition(row.condition_id))
          }
          sum += ofDay
        }
        assert.strictEqual(sum, total)
      }
      const { json: nobody } = yield* askWith(key, `/v3/wallets/0x${"e".repeat(40)}/rebates`)
      assert.deepInclude(nobody, { rebates: [], total_rebated_fees_usdc: 0, paid_on_chain_usdc: 0 })
      assert.match(nobody.date, /^\d{4}-\d{2}-\d{2}$/)
    }),
  )

  it.effect("are missing with a warning and a hint whenever the venue refuses, fails, lies or is slow", () =>
    Effect.gen(function* () {
      const { simulation, url } = yield* Venue
      const { key } = yield* keyOf("starter")
      const [maker] = makers(simulation, 1)
      const path = `/v3/wallets/${maker?.address}/rebates?date=${dayOf(simulation.now())}`
      const faults = [
        [{ kind: "rate_limited", retry_after_s: 7 }, "rate-limited", 429],
        [{ kind: "server_error", status: 500 }, "status", 500],
        [{ kind: "html", status: 403 }, "status", 403],
        [{ kind: "html" }, "malformed", null],
        [{ kind: "slow", delay_ms: 600_000 }, "timeout", null],
        [{ kind: "down" }, "unreachable", null],
        [{ kind: "truncated" }, "malformed", null],
      ] as const
      for (const [fault, reason, status] of faults) {
        yield* control(url, "POST", { upstream: "clob", channel: "http", path: "/rebates", ...fault })
        const answer = yield* askWith(key, path)
        yield* control(url, "DELETE")
        assert.strictEqual(answer.status, 200, `${fault.kind}: ${answer.text}`)
        assert.deepInclude(answer.json, {
          rebates: [],
          rows_returned: 0,
          total_rebated_fees_usdc: null,
          provider_status: status,
        })
        assert.strictEqual(answer.json.provider_warning.reason, reason, fault.kind)
        assert.strictEqual(answer.json.provider_warning.retry_after_s, reason === "rate-limited" ? 7 : null)
        assert.isString(answer.json.provider_warning.message)
        assert.match(answer.json.hint, status === 403 ? /will not help/ : /Try again later/)
        assert.notMatch(answer.text, /127\.0\.0\.1|ECONN/)
        // A success closes the circuit breaker.
        assert.strictEqual((yield* askWith(key, path)).json.provider_status, 200, `after ${fault.kind}`)
      }
    }),
  )

  it.effect("refuse days that do not exist", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { key: free } = yield* keyOf("free")
      const path = `/v3/wallets/0x${"e".repeat(40)}/rebates`
      for (const date of ["2026-02-30", "yesterday", "2026-2-3", "20260203", "2026-13-01"]) {
        const answer = yield* askWith(key, `${path}?date=${date}`)
        assert.strictEqual(answer.status, 400, `${date}: ${answer.text}`)
        assert.match(answer.text, /YYYY-MM-DD/)
      }
      assert.strictEqual((yield* askWith(key, "/v3/wallets/0x12/rebates")).status, 400)
      assert.strictEqual((yield* askWith(free, path)).status, 402)
    }),
  )
})
