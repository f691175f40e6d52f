import { randomBytes, randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option, Schema } from "effect"
import { makeFlightStore } from "#src/mesh/flights/FlightStore.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { readSnapshot } from "#src/platform/readSnapshot.ts"
import { TradesExport } from "#src/trades/contracts.ts"
import { Exports } from "#src/trades/Exports.ts"
import { tradeFields } from "#src/trades/lines.ts"
import { type LineForm, WalkPosition } from "#src/trades/model.ts"
import { tradeStore } from "#src/trades/TradeStore.ts"
import { walk } from "#src/trades/walk.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding } from "#test/support/hold.ts"
import { fillMaker } from "#test/webhooks/support/fills.ts"
import { tradesOf } from "./support/expected.ts"
import { asking, flightsUnderWay, newestSecond, pathOf, untilEver, wallets, world } from "./support/exporting.ts"

const limits = {
  "trades-export.boarding": "5s",
  "trades-export.cap": "20",
  "trades-export.per-account": "1",
  "trades-export.under-way-bytes": "100000",
}

layer(world(limits), { excludeTestServices: true })("An export that has to end before it is whole", (it) => {
  it.effect("says why, and is not kept", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      for (const count of [10, 10]) yield* chain.block(count)
      const { key } = yield* keyOf("growth")
      const [wallet = ""] = yield* wallets
      const ask = askWith(key, pathOf(wallet, untilEver))
      // Exactly as many as may be are all of them.
      assert.deepInclude((yield* ask).json, { count: 20, partial: false, partial_reason: null })
      yield* chain.block(3)
      // One that would be kept if it were whole.
      const from = `?from=1704067201&to=${yield* newestSecond}`
      const expected = yield* tradesOf(wallet)
      assert.lengthOf(expected, 23)
      for (const _ of [1, 2]) {
        const { json } = yield* askWith(key, pathOf(wallet, from))
        assert.deepInclude(json, { count: 20, partial: true, partial_reason: "hard_cap_20", cache: "miss" })
        assert.deepStrictEqual(json.trades, expected.slice(0, 20))
      }
    }),
  )

  it.effect("by its time keeps what it has found, and goes on where another one has ended", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const postgres = yield* Postgres
      const store = tradeStore(postgres)
      const real = yield* Clock.Clock
      let now = 1_000_000
      const chunks: Array<string> = []
      let reached: Schema.Json | undefined
      const walking = (millisAPage: number, position?: WalkPosition, form: LineForm = "csv") =>
        readSnapshot(
          postgres.exports,
          Effect.scoped(
            walk(store, {
              range: { wallet: wallet.slice(2), from: 0, to: 99_999_999_999 },
              form,
              limits: { cap: 1000, page: 4, millis: 180_000 },
              position,
              append: (chunk, at) =>
                Effect.sync(() => {
                  chunks.push(Buffer.from(chunk).toString())
                  reached = at
                  now += millisAPage
                }),
            }),
          ),
        ).pipe(
          Effect.provideService(
            Clock.Clock,
            clockShowing(() => now, real),
          ),
        )
      const cut = yield* walking(60_000)
      assert.deepInclude(cut, { count: 12, reason: "wall_clock_180s" })
      assert.lengthOf(chunks, 3)
      // Whoever goes on has what is left of the time.
      const position = yield* Schema.decodeUnknownEffect(WalkPosition)(reached)
      assert.strictEqual((yield* walking(0, position)).reason, "wall_clock_180s")
      const whole = yield* walking(0, { ...position, startedAt: now })
      assert.deepInclude(whole, { count: 23, reason: null })
      const expected = yield* tradesOf(wallet)
      assert.strictEqual(
        chunks.join(""),
        expected.map((trade) => `${tradeFields.map((field) => trade[field]).join()}\n`).join(""),
      )
      const replaced = walking(0, { ...position, seen: { number: 1, hash: "00", at: 0 } })
      assert.strictEqual((yield* Effect.flip(replaced))._tag, "ExportImpossible")
    }),
  )

  it.effect("by what its account may have at a time is refused, and one that no worker takes as well", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { key } = yield* keyOf("growth")
      const askTwice = Effect.gen(function* () {
        const asked = asking(yield* boundPort, key, pathOf(wallet, "?from=1704067204&to=99999999999"))
        yield* Effect.forkChild(Effect.scoped(asked))
        yield* eventually(
          "somebody waits",
          Effect.map(flightsUnderWay, (count) => count > 0),
        )
        const refused = yield* askWith(key, pathOf(wallet, "?from=1704067205&to=99999999999"))
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers["retry-after"], "10")
        assert.match(refused.json.error, /1 exports under way/)
      })
      yield* holding("lock table fill in access exclusive mode", askTwice)
      const jobs = (yield* Jobs).queue(TradesExport)
      yield* Effect.promise(() => jobs.pause())
      const { key: other } = yield* keyOf("growth")
      const untaken = yield* askWith(other, pathOf(wallet, "?from=1704067206&to=99999999999"))
      assert.strictEqual(untaken.status, 503)
      assert.match(untaken.json.error, /No worker has begun/)
      yield* Effect.promise(() => jobs.resume())
    }),
  )

  it.effect("leaves its place to the next before its last byte is sent", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { account } = yield* keyOf("growth")
      const exports = yield* Exports
      const open = (from: number) =>
        exports.open(account, { wallet: wallet.slice(2), from, to: 99_999_999_999 }, "csv", false)
      const first = yield* open(1)
      yield* Effect.repeat(first.next, { while: Option.isSome })
      assert.strictEqual((yield* Effect.flip(open(2)))._tag, "ExportsBusy")
      yield* first.end
      yield* open(2)
      assert.strictEqual((yield* Effect.flip(open(3)))._tag, "ExportsBusy")
    }).pipe(Effect.scoped),
  )

  it.effect("by what all of them hold together is not begun until they hold less", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { key } = yield* keyOf("growth")
      const ask = askWith(key, pathOf(wallet, untilEver))
      const store = yield* makeFlightStore
      const { flight } = yield* store.join("another", "somebody", randomUUID())
      yield* store.board(flight, "worker")
      yield* store.append(flight, "worker", { chunk: randomBytes(100_000), position: null })
      const refused = yield* ask
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["retry-after"], "10")
      assert.match(refused.json.error, /Exports under way hold 100000 bytes/)
      assert.match(refused.json.hint, /Try again/)
      yield* store.leave(flight, "somebody")
      assert.strictEqual((yield* ask).status, 200)
    }).pipe(Effect.scoped),
  )
})
