import { randomBytes, randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option, Schema } from "effect"
import { Jobs } from "#src/mesh/Jobs.ts"
import { makeSharedRunStore } from "#src/mesh/shared-runs/SharedRunStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readSnapshot } from "#src/platform/sql/readSnapshot.ts"
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
import { asking, newestSecond, pathOf, runsWithWaiters, untilEver, wallets, world } from "./support/exporting.ts"

const limits = {
  "trades-export.boarding": "5s",
  "trades-export.cap": "20",
  "trades-export.per-account": "1",
  "trades-export.under-way-bytes": "100000",
}

layer(world(limits), { excludeTestServices: true })("Limits of exports", (it) => {
  it.effect("an export over the row limit is partial, names the reason and is not kept", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      for (const count of [10, 10]) yield* chain.block(count)
      const { key } = yield* keyOf("growth")
      const [wallet = ""] = yield* wallets
      const ask = askWith(key, pathOf(wallet, untilEver))
      // Exactly the limit is complete.
      assert.deepInclude((yield* ask).json, { count: 20, partial: false, partial_reason: null })
      yield* chain.block(3)
      // A range that would be kept if it were complete.
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

  it.effect("a walk ends at its time limit with the trades so far, and a successor continues after them", () =>
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
              range: { subject: "wallet", id: wallet.slice(2), from: 0, to: 99_999_999_999 },
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
      // The successor has the remaining time.
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

  it.effect("an export over the account's limit is refused, and one that no worker starts fails", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { key } = yield* keyOf("growth")
      const askTwice = Effect.gen(function* () {
        const asked = asking(yield* boundPort, key, pathOf(wallet, "?from=1704067204&to=99999999999"))
        yield* Effect.forkChild(Effect.scoped(asked))
        yield* eventually(
          "a client waits",
          Effect.map(runsWithWaiters, (count) => count > 0),
        )
        const refused = yield* askWith(key, pathOf(wallet, "?from=1704067205&to=99999999999"))
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers["retry-after"], "10")
        assert.match(refused.json.error, /limit of 1 concurrent exports/)
      })
      yield* holding("lock table fill in access exclusive mode", askTwice)
      const jobs = (yield* Jobs).queue(TradesExport)
      yield* Effect.promise(() => jobs.pause())
      const { key: other } = yield* keyOf("growth")
      const untaken = yield* askWith(other, pathOf(wallet, "?from=1704067206&to=99999999999"))
      assert.strictEqual(untaken.status, 503)
      assert.match(untaken.json.error, /No worker started/)
      yield* Effect.promise(() => jobs.resume())
    }),
  )

  it.effect("an export releases its slot before its last byte is sent", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { account } = yield* keyOf("growth")
      const exports = yield* Exports
      const open = (from: number) =>
        exports.open(account, { subject: "wallet", id: wallet.slice(2), from, to: 99_999_999_999 }, "csv", false)
      const first = yield* open(1)
      yield* Effect.repeat(first.next, { while: Option.isSome })
      assert.strictEqual((yield* Effect.flip(open(2)))._tag, "ExportsBusy")
      yield* first.end
      yield* open(2)
      assert.strictEqual((yield* Effect.flip(open(3)))._tag, "ExportsBusy")
    }).pipe(Effect.scoped),
  )

  it.effect("a new export is refused while all exports together hold too many bytes", () =>
    Effect.gen(function* () {
      const [wallet = ""] = yield* wallets
      const { key } = yield* keyOf("growth")
      const ask = askWith(key, pathOf(wallet, `${untilEver}&from=1704067203`))
      const store = yield* makeSharedRunStore
      const { run } = yield* store.join("another", "waiter", randomUUID())
      yield* store.claim(run, "worker")
      yield* store.append(run, "worker", { chunk: randomBytes(100_000), position: null })
      const refused = yield* ask
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["retry-after"], "10")
      assert.match(refused.json.error, /Running exports hold 100000 bytes/)
      assert.match(refused.json.hint, /Try again/)
      yield* store.leave(run, "waiter")
      assert.strictEqual((yield* ask).status, 200)
    }).pipe(Effect.scoped),
  )
})
