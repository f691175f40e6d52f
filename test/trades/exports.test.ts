import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { walletFills } from "#src/simulator/control/truth/walletRoutes.ts"
import { Query } from "#src/simulator/gamma/Query.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { tradeFields } from "#src/trades/lines.ts"
import { bytesOf } from "#test/http/support/bytes.ts"
import { call } from "#test/http/support/client.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding, someoneWaits } from "#test/support/hold.ts"
import { runningVenue } from "#test/support/venue.ts"
import { exchanges, type Trade, tradesOf, tradesOfTokens } from "./support/expected.ts"
import { asking, busiest, newestSecond, pathOf, runsWithWaiters, walks, wallets, world } from "./support/exporting.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Filled orders of a wallet in the venue's books. */
const truthOf = (simulation: Simulation, address: string) => {
  const wallet = simulation.model.wallets.find((each) => each.address === address)
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
for (const seed of isSoak ? [71, 92, 93] : [71]) {
  layer(world(isSoak ? {} : { "trades-export.page": "40" }, followedHistory(seed)), { excludeTestServices: true })(
    `Exports of trades in world ${seed}`,
    (it) => {
      it.effect("match the venue's books, also after a reorganisation, and are cached if `to` is in the future", () =>
        Effect.gen(function* () {
          const { url, simulation } = yield* runningVenue(seed, { rate: isSoak ? 20 : 4 })
          simulation.settle()
          const { key } = yield* keyOf("growth")
          const check = Effect.fnUntraced(function* (wallet: string, to: number) {
            const { status, json } = yield* askWith(key, pathOf(wallet, `?to=${to}`))
            assert.strictEqual(status, 200)
            const { trades, ...rest } = json
            const expected = yield* tradesOf(wallet)
            assert.deepStrictEqual(trades, expected)
            assert.deepStrictEqual(asTruth(trades), truthOf(simulation, wallet))
            assert.isAtLeast(rest.fetched_in_ms, 0)
            const { fetched_in_ms: _, cache, coverage, ...fixed } = rest
            assert.deepInclude(coverage, { from_block: firstBlock, complete: true })
            assert.deepStrictEqual(fixed, {
              wallet,
              from_ts: 1_704_067_200,
              to_ts: to,
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
            const checked = isSoak ? [...all.slice(0, 4), ...all.slice(-2)] : [...all.slice(0, 2), ...all.slice(-1)]
            const before = yield* newestSecond
            for (const wallet of checked) assert.strictEqual(yield* check(wallet, before), "miss")
            for (const wallet of checked) assert.strictEqual(yield* check(wallet, before), "hit")

            // A kept export is not served after its blocks were replaced.
            simulation.reorg(5)
            simulation.advance(30_000)
            simulation.settle()
            yield* caughtUp(simulation, following)
            assert.isAbove(yield* newestSecond, before)
            for (const wallet of checked) {
              const again = yield* askWith(key, pathOf(wallet, `?to=${before}`))
              assert.strictEqual(again.json.cache, "miss")
              assert.deepStrictEqual(again.json.trades, yield* tradesOf(wallet, 0, before))
              assert.strictEqual(yield* check(wallet, yield* newestSecond), "miss")
            }

            // A range beyond the newest block ends there, and is kept like any other.
            const beyond = (wallet: string, to: number) =>
              Effect.map(askWith(key, pathOf(wallet, `?to=${to}`)), ({ json }) => [json.to_ts, json.cache])
            const [first = ""] = checked
            const [other = ""] = all.slice(4)
            const latest = yield* newestSecond
            assert.deepStrictEqual(yield* beyond(first, latest + 1), [latest, "hit"])
            assert.deepStrictEqual(yield* beyond(other, latest + 3_600), [latest, "miss"])
            simulation.advance(10_000)
            simulation.settle()
            yield* caughtUp(simulation, following)
            assert.deepStrictEqual(yield* beyond(other, latest + 3_600), [latest, "hit"])
            const newest = yield* askWith(key, pathOf(other))
            assert.deepInclude(newest.json, { to_ts: yield* newestSecond, cache: "miss" })
            yield* check(first, yield* newestSecond)
          }).pipe(Effect.provide(nodeAt(url)))
        }),
      )

      it.effect("of a token have what its makers traded, and what its takers minted or merged", () =>
        Effect.gen(function* () {
          const { key } = yield* keyOf("growth")
          const everybody = (yield* Effect.forEach(yield* wallets, (wallet) => tradesOf(wallet))).flat()
          const trades = tradesOfTokens(everybody)
          const token =
            trades.find(({ taker }) => exchanges.includes(taker))?.token_id ?? assert.fail("no pair was minted")
          const ofToken = trades.filter(({ token_id }) => token_id === token)
          const path = `/v2/onchain/markets/${token}/trades/all`
          const { json } = yield* askWith(key, path)
          const inOrder = (trades: ReadonlyArray<Trade>) => trades.map((trade) => JSON.stringify(trade)).toSorted()
          assert.deepInclude(json, { token_id: token, count: ofToken.length, partial: false })
          assert.deepStrictEqual(inOrder(json.trades), inOrder(ofToken))
          assert.deepStrictEqual(
            json.trades.map(({ timestamp }: Trade) => timestamp),
            ofToken.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
          )
          const csv = yield* askWith(key, path, { headers: { accept: "text/csv" } })
          assert.strictEqual(csv.headers["x-token-id"], token)
          assert.strictEqual(csv.text.trim().split("\n").length, ofToken.length + 1)
          assert.strictEqual((yield* askWith((yield* keyOf("starter")).key, path)).status, 403)
          assert.strictEqual((yield* askWith(key, "/v2/onchain/markets/12345/trades/all")).json.count, 0)
          assert.strictEqual((yield* askWith(key, "/v2/onchain/markets/0x12/trades/all")).status, 400)
        }),
      )

      it.effect("are available as JSON, NDJSON and CSV, compressed or not, with the totals in trailers", () =>
        Effect.gen(function* () {
          const wallet = yield* busiest
          const expected = yield* tradesOf(wallet)
          const until = yield* newestSecond
          const { key } = yield* keyOf("enterprise")
          const port = yield* boundPort
          const ask = Effect.fnUntraced(function* (accept: string) {
            const { incoming, read } = yield* asking(
              port,
              key,
              pathOf(wallet.toUpperCase().replace("X", "x"), `?to=${until}`),
              {
                accept,
              },
            )
            const text = yield* read
            return { text, headers: incoming.headers, trailers: incoming.trailers }
          })
          const behind = { "x-count": String(expected.length), "x-partial": "false", "x-partial-reason": "null" }
          const around = { "x-wallet": wallet, "x-from-ts": "1704067200", "x-to-ts": String(until) }

          const lines = yield* ask("application/x-ndjson")
          assert.strictEqual(lines.text, expected.map((trade) => `${JSON.stringify(trade)}\n`).join(""))
          assert.deepInclude(lines.headers, { ...around, "content-type": "application/x-ndjson", "x-cache": "hit" })
          assert.deepInclude(lines.trailers, behind)

          const csv = yield* ask("text/csv")
          const rows = expected.map((trade) => tradeFields.map((field) => trade[field]).join())
          assert.strictEqual(csv.text, `${[tradeFields.join(), ...rows].join("\n")}\n`)
          assert.deepInclude(csv.headers, { ...around, "content-type": "text/csv" })
          assert.deepInclude(csv.trailers, behind)

          const unpacked = { zstd: zstdDecompressSync, gzip: gunzipSync, br: brotliDecompressSync }
          for (const [encoding, unpack] of Object.entries(unpacked)) {
            const { bytes, headers } = yield* bytesOf(port, pathOf(wallet, `?to=${until}`), {
              "x-api-key": key,
              "accept-encoding": encoding,
            })
            assert.strictEqual(headers["content-encoding"], encoding)
            assert.deepStrictEqual(JSON.parse(unpack(bytes).toString()).trades, expected, encoding)
          }
        }).pipe(Effect.scoped),
      )

      it.effect("include both ends of the range, and are empty for a wallet that never traded", () =>
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
          // Without a range, the end is the current second.
          const now = yield* askWith(key, pathOf(wallet))
          assert.strictEqual(now.status, 200)
        }),
      )

      it.effect("are computed once for all concurrent requests for the same range", () =>
        Effect.gen(function* () {
          const [, wallet = ""] = yield* wallets
          const { key } = yield* keyOf("growth")
          const before = yield* walks("whole")
          const ask = askWith(key, pathOf(wallet, `?from=1704067201&to=${yield* newestSecond}`))
          const answers = yield* Effect.all([ask, ask, ask, ask], { concurrency: 4 })
          const expected = yield* tradesOf(wallet)
          for (const { json } of answers) assert.deepStrictEqual(json.trades, expected)
          assert.strictEqual(yield* walks("whole"), before + 1)
        }),
      )

      it.effect("stop when the last client has left", () =>
        Effect.gen(function* () {
          const wallet = yield* busiest
          const { key } = yield* keyOf("growth")
          const port = yield* boundPort
          const before = yield* walks("unwanted")
          // While the table is locked, the walk waits before its first page.
          const leave = Effect.gen(function* () {
            const path = pathOf(wallet, "?from=1704067202&to=99999999999")
            const [first, second] = [
              yield* Effect.forkChild(Effect.scoped(asking(port, key, path))),
              yield* Effect.forkChild(Effect.scoped(asking(port, key, path))),
            ]
            yield* eventually("the walk has begun", someoneWaits)
            yield* Fiber.interrupt(first)
            assert.isTrue(yield* someoneWaits)
            yield* Fiber.interrupt(second)
            yield* eventually(
              "the walk has ended",
              Effect.map(walks("unwanted"), (count) => count === before + 1),
            )
            assert.isFalse(yield* someoneWaits)
          })
          yield* holding("lock table fill in access exclusive mode", leave)
          // The server may notice only now that the second client has left.
          yield* eventually(
            "nobody waits any more",
            Effect.map(runsWithWaiters, (count) => count === 0),
          )
        }),
      )

      it.effect("are refused with an error that says what to change", () =>
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
          assert.strictEqual((yield* askWith((yield* keyOf("free")).key, pathOf(wallet))).status, 402)
          const head = yield* askWith(key, pathOf(wallet, "?from=1704067209"), { method: "HEAD" })
          assert.strictEqual(head.status, 200)
          assert.strictEqual(yield* walks("whole"), before)
        }),
      )
    },
  )
}
