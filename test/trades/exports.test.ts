import { type IncomingMessage, request } from "node:http"
import { zstdDecompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Metric, Schema } from "effect"
import { tradesExport } from "#actors/tradesExport.ts"
import { ApiServer } from "#http/Server.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { Redis } from "#src/platform/Redis.ts"
import { walletFills } from "#src/simulator/control/truth/walletFills.ts"
import { Query } from "#src/simulator/gamma/Query.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TradesExport } from "#src/trades/contracts.ts"
import { tradeFields } from "#src/trades/lines.ts"
import { type LineForm, WalkPosition } from "#src/trades/model.ts"
import { tradeStore } from "#src/trades/TradeStore.ts"
import { walk } from "#src/trades/walk.ts"
import { bytesOf } from "#test/http/support/bytes.ts"
import { call } from "#test/http/support/client.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { serving } from "#test/http/support/serving.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/following.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { fillMaker } from "#test/webhooks/support/fills.ts"
import { type Trade, tradesOf } from "./support/expected.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** An API and a worker that know nothing of each other but over the stores. */
const world = (flags: Record<string, string> = {}) =>
  ApiServer.pipe(
    Layer.provideMerge(Layer.mergeAll(serving, tradesExport, ledger)),
    Layer.provideMerge(
      testFoundation({
        port: "0",
        host: "127.0.0.1",
        "event-log.retention": "3650d",
        "trades-export.page": "7",
        "trades-export.boarding": "3s",
        ...flags,
      }),
    ),
  )

const pathOf = (wallet: string, query = "") => `/v2/onchain/wallets/${wallet}/trades/all${query}`
const untilEver = "?to=99999999999"

/** Walks of this process that ended so. */
const walks = (outcome: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const found = metrics.find(
      ({ id, attributes }) => id === "presage_trades_export_walks_total" && attributes?.["outcome"] === outcome,
    )
    return found?.type === "Counter" ? Number(found.state.count) : 0
  })

/** Those with the most trades first. */
const wallets = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ wallet: string }>`
    select '0x' || encode(w.address, 'hex') as wallet
    from fill f join wallet w on w.id = f.maker group by 1 order by count(*) desc, 1`
  return rows.map(({ wallet }) => wallet)
})
const busiest = Effect.map(wallets, ([wallet = ""]) => wallet)

const flightsUnderWay = Effect.flatMap(Redis, (redis) =>
  Effect.map(
    redis.run((client) => client.keys(`${redis.prefix}:flights:{*:waiters`)),
    ({ length }) => length,
  ),
)

/** The filled orders that the venue's own books have of a wallet. */
const truthOf = (simulation: Simulation, address: string) => {
  const wallet = simulation.made.wallets.find((each) => each.address === address)
  assert.isDefined(wallet)
  const { fills } = walletFills(simulation, wallet, new Query(new URLSearchParams("limit=10000")))
  return fills
    .map(({ transaction_hash, token_id, side, shares, usd }) => [transaction_hash, token_id, side, shares, usd].join())
    .toSorted()
}
const asTruth = (trades: ReadonlyArray<Trade>) =>
  trades
    .map(({ tx_hash, token_id, direction, shares, usd }) =>
      [tx_hash, token_id, direction.toLowerCase(), Math.round(shares * 1e6), Math.round(usd * 1e6)].join(),
    )
    .toSorted()

/** A request that can be watched while its answer comes. */
const asking = (port: number, key: string, path: string, headers: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly read: Effect.Effect<string>; readonly incoming: IncomingMessage }>((resume) => {
      const outgoing = request(
        { host: "127.0.0.1", port, path, headers: { "x-api-key": key, ...headers }, agent: false },
        (incoming) => {
          const read = Effect.promise(async () => Buffer.concat(await incoming.toArray()).toString())
          resume(Effect.succeed({ read, incoming }))
        },
      )
      outgoing.on("error", () => undefined)
      outgoing.end()
      return Effect.sync(() => outgoing.destroy())
    }),
    ({ incoming }) => Effect.sync(() => incoming.destroy()),
    { interruptible: true },
  )

for (const seed of isSoak ? [91, 92, 93] : [91]) {
  layer(world(), { excludeTestServices: true })(`Exports of trades in world ${seed}`, (it) => {
    it.effect(
      "have what the venue's own books and plain SQL have, and after a reorganisation what they have then",
      () =>
        Effect.gen(function* () {
          const { url, simulation } = yield* runningVenue(seed)
          simulation.settle()
          const { key } = yield* keyOf("growth")
          const check = Effect.fnUntraced(function* (wallet: string) {
            const { status, json } = yield* askWith(key, pathOf(wallet, untilEver))
            assert.strictEqual(status, 200)
            const { trades, ...rest } = json
            const expected = yield* tradesOf(wallet)
            assert.deepStrictEqual(trades, expected)
            assert.deepStrictEqual(asTruth(trades), truthOf(simulation, wallet))
            assert.isAtLeast(rest.fetched_in_ms, 0)
            const { fetched_in_ms: _, cache, ...fixed } = rest
            assert.deepStrictEqual(fixed, {
              wallet,
              from_ts: 1_704_067_200,
              to_ts: 99_999_999_999,
              count: expected.length,
              partial: false,
              partial_reason: null,
            })
            return cache
          })
          yield* Effect.gen(function* () {
            const following = yield* startFollower
            yield* caughtUp(simulation, following)
            const all = yield* wallets
            const checked = [...all.slice(0, 4), ...all.slice(-2)]
            for (const wallet of checked) assert.strictEqual(yield* check(wallet), "miss")
            for (const wallet of checked) assert.strictEqual(yield* check(wallet), "hit")

            // What is kept is not shown when the blocks it is from are no more.
            simulation.reorg(5)
            simulation.advance(30_000)
            simulation.settle()
            yield* caughtUp(simulation, following)
            for (const wallet of checked) assert.strictEqual(yield* check(wallet), "miss")
          }).pipe(Effect.provide(nodeAt(url)))
        }),
    )

    it.effect("come as JSON, as lines and as CSV, compressed or not, with what is known last behind them", () =>
      Effect.gen(function* () {
        const wallet = yield* busiest
        const expected = yield* tradesOf(wallet)
        const { key } = yield* keyOf("enterprise")
        const port = yield* boundPort
        const ask = Effect.fnUntraced(function* (accept: string) {
          const { incoming, read } = yield* asking(
            port,
            key,
            pathOf(wallet.toUpperCase().replace("X", "x"), untilEver),
            {
              accept,
            },
          )
          const text = yield* read
          return { text, headers: incoming.headers, trailers: incoming.trailers }
        })
        const behind = { "x-count": String(expected.length), "x-partial": "false", "x-partial-reason": "null" }
        const around = { "x-wallet": wallet, "x-from-ts": "1704067200", "x-to-ts": "99999999999" }

        const lines = yield* ask("application/x-ndjson")
        assert.strictEqual(lines.text, expected.map((trade) => `${JSON.stringify(trade)}\n`).join(""))
        assert.deepInclude(lines.headers, { ...around, "content-type": "application/x-ndjson", "x-cache": "hit" })
        assert.deepInclude(lines.trailers, behind)

        const csv = yield* ask("text/csv")
        const rows = expected.map((trade) => tradeFields.map((field) => trade[field]).join())
        assert.strictEqual(csv.text, `${[tradeFields.join(), ...rows].join("\n")}\n`)
        assert.deepInclude(csv.headers, { ...around, "content-type": "text/csv" })
        assert.deepInclude(csv.trailers, behind)

        const { bytes, headers } = yield* bytesOf(port, pathOf(wallet, untilEver), {
          "x-api-key": key,
          "accept-encoding": "zstd",
        })
        assert.strictEqual(headers["content-encoding"], "zstd")
        assert.deepStrictEqual(JSON.parse(zstdDecompressSync(bytes).toString()).trades, expected)
      }).pipe(Effect.scoped),
    )

    it.effect("have the trades of a range with both its seconds, and none of a wallet that never traded", () =>
      Effect.gen(function* () {
        const wallet = yield* busiest
        const { key } = yield* keyOf("growth")
        const all = yield* tradesOf(wallet)
        const [to = 0, from = 0] = [all[5]?.timestamp, all.at(-5)?.timestamp]
        const part = yield* askWith(key, pathOf(wallet, `?from=${from}&to=${to}`))
        assert.deepStrictEqual(part.json.trades, yield* tradesOf(wallet, from, to))
        assert.isBelow(part.json.count, all.length)
        const none = yield* askWith(key, pathOf(wallet, `?from=${from - 1}&to=${from - 1}`))
        assert.deepInclude(none.json, { count: 0, trades: [], partial: false })
        for (const accept of ["application/json", "application/x-ndjson"]) {
          const { status, text } = yield* askWith(key, pathOf(`0x${"0".repeat(40)}`), { headers: { accept } })
          assert.strictEqual(status, 200)
          if (accept === "application/json") assert.strictEqual(JSON.parse(text).count, 0)
          else assert.strictEqual(text, "")
        }
        // Now is another second each time, or the same one: what is shared then is made once.
        const now = yield* askWith(key, pathOf(wallet))
        assert.strictEqual(now.status, 200)
      }),
    )

    it.effect("are looked for once for all who ask for the same at the same time", () =>
      Effect.gen(function* () {
        const [, wallet = ""] = yield* wallets
        const { key } = yield* keyOf("growth")
        const before = yield* walks("whole")
        const ask = askWith(key, pathOf(wallet, "?from=1704067201&to=99999999999"))
        const answers = yield* Effect.all([ask, ask, ask, ask], { concurrency: 4 })
        const expected = yield* tradesOf(wallet)
        for (const { json } of answers) assert.deepStrictEqual(json.trades, expected)
        assert.strictEqual(yield* walks("whole"), before + 1)
      }),
    )

    it.effect("end when the last client has left", () =>
      Effect.gen(function* () {
        const wallet = yield* busiest
        const { key } = yield* keyOf("growth")
        const port = yield* boundPort
        const { sql, reads } = yield* Postgres
        const before = yield* walks("unwanted")
        const isHeldUp = Effect.map(reads`select from pg_locks where not granted`, ({ length }) => length > 0)
        // As long as somebody has them for himself, a walk stands still before its first page.
        yield* Effect.gen(function* () {
          yield* sql`lock table fill in access exclusive mode`
          const path = pathOf(wallet, "?from=1704067202&to=99999999999")
          const [first, second] = [
            yield* Effect.forkChild(Effect.scoped(asking(port, key, path))),
            yield* Effect.forkChild(Effect.scoped(asking(port, key, path))),
          ]
          yield* eventually("the walk has begun", isHeldUp)
          yield* Fiber.interrupt(first)
          assert.isTrue(yield* isHeldUp)
          yield* Fiber.interrupt(second)
          yield* eventually(
            "the walk has ended",
            Effect.map(walks("unwanted"), (count) => count === before + 1),
          )
          assert.isFalse(yield* isHeldUp)
        }).pipe(sql.withTransaction)
        assert.strictEqual(yield* flightsUnderWay, 0)
      }),
    )

    it.effect("are refused in words that say what to do", () =>
      Effect.gen(function* () {
        const wallet = yield* busiest
        const port = yield* boundPort
        const { key } = yield* keyOf("growth")
        const before = yield* walks("whole")
        const cases: ReadonlyArray<readonly [string, number, RegExp]> = [
          [pathOf("0x12"), 400, /"address".*40 hexadecimal/],
          [pathOf(wallet.slice(2)), 400, /"address"/],
          [pathOf(`0x${"g".repeat(40)}`), 400, /"address"/],
          [pathOf(wallet, "?from=1794700800000"), 400, /seconds.*milliseconds/],
          [pathOf(wallet, "?to=1794700800000"), 400, /seconds.*milliseconds/],
          [pathOf(wallet, "?from=20&to=10"), 400, /"to".*not before "from"/],
          [pathOf(wallet, "?from=-1"), 400, /"from"/],
          [pathOf(wallet, "?from=NaN"), 400, /"from"/],
          [pathOf(wallet, "?to=1e3"), 400, /"to"/],
          [pathOf(wallet, "?to=1.5"), 400, /"to"/],
          [pathOf(wallet, "?to=99999999999999999999"), 400, /"to"/],
          [pathOf(wallet, "?from=%00"), 400, /NUL|from/],
          [pathOf(wallet, "?limit=10"), 400, /limit/],
        ]
        for (const [path, status, words] of cases) {
          const answer = yield* askWith(key, path)
          assert.strictEqual(answer.status, status, path)
          assert.match(answer.json.error, words, path)
        }
        const html = yield* askWith(key, pathOf(wallet), { headers: { accept: "text/html" } })
        assert.strictEqual(html.status, 406)
        assert.include(html.json.hint, "application/json, application/x-ndjson, text/csv")
        assert.strictEqual((yield* call(port, pathOf(wallet))).status, 401)
        const starter = yield* askWith((yield* keyOf("starter")).key, pathOf(wallet))
        assert.strictEqual(starter.status, 403)
        assert.strictEqual(starter.json.required_plan, "growth")
        const head = yield* askWith(key, pathOf(wallet, "?from=1704067209"), { method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(yield* walks("whole"), before)
      }),
    )
  })
}

layer(world({ "trades-export.cap": "20", "trades-export.per-account": "1" }), { excludeTestServices: true })(
  "An export that has to end before it is whole",
  (it) => {
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
        const from = "?from=1704067201&to=99999999999"
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
        const store = tradeStore(yield* Postgres)
        const real = yield* Clock.Clock
        let now = 1_000_000
        const chunks: Array<string> = []
        let reached: Schema.Json | undefined
        const walking = (millisAPage: number, position?: WalkPosition, form: LineForm = "csv") =>
          store
            .snapshot(
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
            )
            .pipe(
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
        const replaced = walking(0, { ...position, seen: { number: 1, hash: "00" } })
        assert.strictEqual((yield* Effect.flip(replaced))._tag, "ExportImpossible")
      }),
    )

    it.effect("by what its account may have at a time is refused, and one that no worker takes as well", () =>
      Effect.gen(function* () {
        const [wallet = ""] = yield* wallets
        const { key } = yield* keyOf("growth")
        const { sql } = yield* Postgres
        yield* Effect.gen(function* () {
          yield* sql`lock table fill in access exclusive mode`
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
        }).pipe(sql.withTransaction)
        const jobs = (yield* Jobs).queue(TradesExport)
        yield* Effect.promise(() => jobs.pause())
        const { key: other } = yield* keyOf("growth")
        const untaken = yield* askWith(other, pathOf(wallet, "?from=1704067206&to=99999999999"))
        assert.strictEqual(untaken.status, 503)
        assert.match(untaken.json.error, /No worker has begun/)
        yield* Effect.promise(() => jobs.resume())
      }),
    )
  },
)
