import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PrometheusMetrics from "effect/unstable/observability/PrometheusMetrics"
import { request } from "undici"
import { Keys } from "#src/keys/Keys.ts"
import { PerMinute } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Meter } from "#src/usage/Meter.ts"
import { eventually } from "#test/support/eventually.ts"
import { cachedServer, Source, windowMillis } from "./support/CachedApi.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"

const large = "/v1/cached/list?size=large"
const small = "/v1/cached/list?size=small"

/** Headers that differ per request. */
const passing = ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "connection", "keep-alive"]
const lasting = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.includes(name)))

/** A client that does not decompress. */
const bytesOf = (port: number, path: string, key: string, encoding: string) =>
  Effect.promise(async () => {
    const headers = { "x-api-key": key, ...(encoding === "" ? {} : { "accept-encoding": encoding }) }
    const answer = await request(`http://127.0.0.1:${port}${path}`, { headers })
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) }
  })

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

describe("Cached answers", () => {
  layer(cachedServer, { excludeTestServices: true })((it) => {
    const later = (millis: number) =>
      Effect.map(Source, (source) => {
        source.time.now += millis
      })

    it.effect("have headers for their age, lifetime and origin", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("free")
        const first = yield* askWith(key, small)
        yield* later(2600)
        const second = yield* askWith(key, small)
        assert.deepStrictEqual([first.status, second.status], [200, 200])
        assert.strictEqual(first.text, second.text)
        assert.deepInclude(first.headers, {
          "x-cache": "miss",
          age: "0",
          "cache-control": "private, max-age=10, stale-if-error=60",
          "x-data-age-ms": "1500",
          "content-type": "application/json",
        })
        // Seven whole seconds are left: a client's copy never outlives ours.
        assert.deepInclude(second.headers, {
          "x-cache": "hit",
          age: "2",
          "cache-control": "private, max-age=9, stale-if-error=60",
          "x-data-age-ms": "4100",
          vary: "accept, accept-encoding, authorization, x-api-key",
        })
        assert.strictEqual(
          second.headers["x-ratelimit-remaining"],
          String(Number(first.headers["x-ratelimit-remaining"]) - 1),
        )
      }),
    )

    it.effect("are compressed once in the encoding that the client prefers, and decode to the same bytes", () =>
      Effect.gen(function* () {
        const port = yield* boundPort
        const { key } = yield* keyOf("free")
        const plain = yield* bytesOf(port, large, key, "")
        assert.isUndefined(plain.headers["content-encoding"])
        const tags = new Set([plain.headers.etag])
        for (const [encoding, decode] of Object.entries(decoders)) {
          for (const round of ["compressed now", "compressed before"]) {
            const packed = yield* bytesOf(port, large, key, encoding)
            assert.strictEqual(packed.headers["content-encoding"], encoding, round)
            assert.strictEqual(packed.headers["content-length"], String(packed.body.length))
            assert.isBelow(packed.body.length, plain.body.length / 4)
            assert.isTrue(decode(packed.body).equals(plain.body))
            tags.add(packed.headers.etag)
          }
        }
        assert.strictEqual(tags.size, 4)
        const short = yield* bytesOf(port, small, key, "gzip, br")
        assert.isUndefined(short.headers["content-encoding"])
        const forced = yield* bytesOf(port, small, key, "gzip, identity;q=0")
        assert.strictEqual(JSON.parse(gunzipSync(forced.body).toString()).size, "small")
        const fetched = yield* Effect.promise(async () => {
          const answer = await fetch(`http://127.0.0.1:${port}${large}`, { headers: { "x-api-key": key } })
          return { encoding: answer.headers.get("content-encoding"), text: await answer.text() }
        })
        assert.isNotNull(fetched.encoding)
        assert.strictEqual(fetched.text, plain.body.toString())
      }),
    )

    it.effect("are 406 for a client that accepts no encoding", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("free")
        for (const header of ["*;q=0", "identity;q=0", "identity;q=0, br;q=0, gzip;q=nonsense"]) {
          const { status, json } = yield* askWith(key, large, { headers: { "accept-encoding": header } })
          assert.strictEqual(status, 406)
          assert.match(json.error, /Accept-Encoding/)
        }
      }),
    )

    it.effect("are 304 for a client that has the same bytes in the same encoding", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("free")
        const gzip = { "accept-encoding": "gzip" }
        for (const round of ["through the router", "by the short cut"]) {
          const method = round === "by the short cut" ? "GET" : "HEAD"
          const plain = String((yield* askWith(key, large)).headers.etag)
          const packed = String((yield* askWith(key, large, { headers: gzip })).headers.etag)
          const known = (tag: string, headers = {}) =>
            askWith(key, large, { method, headers: { "if-none-match": tag, ...headers } })
          const [same, weak, any, listed] = [
            yield* known(plain),
            yield* known(`W/${packed}`, gzip),
            yield* known("*"),
            yield* known(`"other", ${plain}`),
          ]
          for (const { status, text, headers } of [same, weak, any, listed]) {
            assert.deepStrictEqual([status, text], [304, ""], round)
            assert.isUndefined(headers["content-type"])
            assert.isUndefined(headers["content-encoding"])
            assert.match(String(headers["cache-control"]), /^private, max-age=\d+/)
            assert.isDefined(headers["x-data-age-ms"])
            assert.isDefined(headers["x-ratelimit-remaining"])
          }
          assert.strictEqual(same.headers.etag, plain)
          assert.strictEqual(weak.headers.etag, packed)
          assert.deepStrictEqual([(yield* known(plain, gzip)).status, (yield* known('"other"')).status], [200, 200])
        }
        const before = (yield* askWith(key, large)).headers.etag
        yield* later(10_000)
        const renewed = yield* askWith(key, large, { headers: { "if-none-match": String(before) } })
        assert.strictEqual(renewed.status, 200)
      }),
    )

    it.effect("have the same headers through the router and the fast path, which the second request takes", () =>
      Effect.gen(function* () {
        const source = yield* Source
        const { key } = yield* keyOf("free")
        yield* askWith(key, large)
        for (const headers of [{}, { "accept-encoding": "br" }, { origin: "https://example.com" }]) {
          yield* askWith(key, large, { headers })
          const routed = source.routed
          const short = yield* askWith(key, large, { headers })
          assert.strictEqual(source.routed, routed)
          const head = yield* askWith(key, large, { method: "HEAD", headers })
          const long = yield* call(yield* boundPort, `${large}&key=${key}`, { headers })
          assert.strictEqual(source.routed, routed + 2)
          assert.strictEqual(head.text, "")
          assert.deepStrictEqual(lasting(head.headers), lasting(short.headers))
          const { "referrer-policy": _, ...others } = lasting(long.headers)
          assert.deepStrictEqual(others, lasting(short.headers))
          assert.strictEqual(long.text, short.text)
        }
      }),
    )

    it.effect("on the fast path still check key, plan and limits, and count as usage", () =>
      Effect.gen(function* () {
        const source = yield* Source
        const port = yield* boundPort
        const keys = yield* Keys
        const { key, account, id } = yield* keyOf("starter")
        const free = yield* keyOf("free")
        const paid = "/v2/cached/paid"
        yield* keys.setLimits(account, { standard: PerMinute.make(4) })
        yield* askWith(key, paid)
        const routed = source.routed
        const answers = yield* Effect.all([
          askWith(key, paid),
          call(port, paid, { headers: { authorization: `Bearer ${key}` } }),
          // Three insufficient keys, which take the regular path.
          call(port, paid),
          askWith(free.key, paid),
          askWith(`${key}x`, paid),
          askWith(key, paid),
          askWith(key, paid),
        ])
        // The fast path leaves a request to the router while it has to ask for the key or the window again.
        assert.isAtLeast(source.routed, routed + 3)
        assert.isBelow(source.routed, routed + answers.length)
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200, 401, 402, 401, 200, 429],
        )
        const over = answers.at(-1)
        assert.strictEqual(over?.json.scope, "standard")
        assert.isAbove(Number(over?.headers["retry-after"]), 0)
        assert.deepInclude(answers[3]?.json, { plan: "free", required_plan: "starter" })
        yield* keys.revoke(id)
        yield* eventually(
          "the revoked key is refused",
          Effect.map(askWith(key, paid), ({ status }) => status === 403),
        )
        yield* (yield* Meter).flush
        const { sql } = yield* Postgres
        const [used] = yield* sql<{ requests: number }>`
          select sum(requests)::int as requests from usage_day where key_id = ${id} and family = 'cached'`
        assert.strictEqual(used?.requests, 4)
        const metrics = yield* PrometheusMetrics.format()
        assert.match(metrics, /presage_http_requests_total\{method="GET",route="\/v2\/cached\/paid",status="429"\} 1/)
      }),
    )

    it.effect("are served stale while the source is down, but not when the data no longer exist", () =>
      Effect.gen(function* () {
        const source = yield* Source
        const { key } = yield* keyOf("free")
        const good = yield* askWith(key, small)
        source.manner = "down"
        yield* later(10_000)
        for (let i = 0; i < 2; i++) {
          const old = yield* askWith(key, small)
          assert.deepStrictEqual([old.status, old.text], [200, good.text])
          assert.deepInclude(old.headers, { "x-cache": "stale", "cache-control": "private, max-age=0" })
          assert.isAtLeast(Number(old.headers.age), 10)
        }
        yield* later(60_000)
        const none = yield* askWith(key, small)
        assert.deepStrictEqual([none.status, none.json.error], [503, "The source is down."])
        yield* later(1000)
        source.manner = "ok"
        assert.strictEqual((yield* askWith(key, small)).headers["x-cache"], "miss")
        source.manner = "gone"
        yield* later(10_000)
        assert.strictEqual((yield* askWith(key, small)).status, 404)
        source.manner = "ok"
        assert.strictEqual((yield* askWith(key, small)).headers["x-cache"], "miss")
      }),
    )

    it.effect("of a window expire with it, here and for clients", () =>
      Effect.gen(function* () {
        const { time } = yield* Source
        const { key } = yield* keyOf("free")
        const boundary = (Math.floor(time.now / windowMillis) + 1) * windowMillis
        time.now = boundary - 5500
        const before = yield* askWith(key, "/v1/cached/window")
        assert.strictEqual(before.json.start, new Date(boundary - windowMillis).toISOString())
        assert.strictEqual(before.headers["cache-control"], "private, max-age=5")
        time.now = boundary - 1
        assert.deepInclude((yield* askWith(key, "/v1/cached/window")).headers, {
          "x-cache": "hit",
          age: "5",
          "cache-control": "private, max-age=5",
        })
        time.now = boundary
        const after = yield* askWith(key, "/v1/cached/window")
        assert.deepStrictEqual(after.json, { start: new Date(boundary).toISOString() })
        assert.strictEqual(after.headers["x-cache"], "miss")
      }),
    )

    it.effect("of a window that ends while the limits are checked are not sent", () =>
      Effect.gen(function* () {
        const { time } = yield* Source
        const { key } = yield* keyOf("free")
        const boundary = (Math.floor(time.now / windowMillis) + 1) * windowMillis
        time.now = boundary - 5500
        yield* askWith(key, "/v1/cached/window")
        assert.strictEqual((yield* askWith(key, "/v1/cached/window")).headers["x-cache"], "hit")
        // The first check is just before the end of the window, all others are after it.
        let looks = 0
        Object.defineProperty(time, "now", { configurable: true, get: () => boundary + (looks++ === 0 ? -1 : 1) })
        const { json, headers, status } = yield* askWith(key, "/v1/cached/window")
        Object.defineProperty(time, "now", { configurable: true, writable: true, value: boundary + 1 })
        assert.isAbove(looks, 1)
        assert.deepStrictEqual([status, json], [200, { start: new Date(boundary).toISOString() }])
        assert.strictEqual(headers["x-ratelimit-limit"], "60")
      }),
    )

    it.effect("may contain a cached flag", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("free")
        const answers = [
          yield* askWith(key, "/v1/cached/prices/btc"),
          yield* askWith(key, "/v1/cached/prices/btc"),
          yield* askWith(key, "/v1/cached/prices/btc"),
        ]
        assert.deepStrictEqual(
          answers.map(({ text }) => text),
          [
            '{"price":97123.45678901,"cached":false}',
            '{"price":97123.45678901,"cached":true}',
            '{"price":97123.45678901,"cached":true}',
          ],
        )
        assert.notStrictEqual(answers[0]?.headers.etag, answers[1]?.headers.etag)
      }),
    )

    it.effect("are never sent for an invalid address, even when it is requested repeatedly", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("free")
        for (let i = 0; i < 3; i++) {
          assert.strictEqual((yield* askWith(key, "/v1/cached/list?size=huge")).json.param, "size")
          assert.strictEqual((yield* askWith(key, `${small}&extra=1`)).json.param, "extra")
          assert.strictEqual((yield* askWith(key, small, { method: "POST" })).status, 405)
        }
      }),
    )
  })
})
