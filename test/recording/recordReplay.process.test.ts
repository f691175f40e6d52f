import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { gunzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { inject } from "vitest"
import { WebSocket } from "ws"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { polyboltCredentials } from "#src/simulator/oracle/polybolt.ts"
import { administrate } from "#test/support/administrate.ts"
import { patience } from "#test/support/patience.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { migratedDatabase } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"

const foundation = accountKeys.pipe(Layer.provideMerge(sandbox([])), Layer.merge(Reactivity.layer))

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-recording-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const credentials = {
  UPSTREAM_POLYBOLT_KEY: polyboltCredentials.apiKey,
  UPSTREAM_POLYBOLT_SECRET: polyboltCredentials.secret,
  UPSTREAM_POLYBOLT_PASSPHRASE: polyboltCredentials.passphrase,
  UPSTREAM_X_TOKEN: "bearer-token-0123456789",
  PRESAGE_SECRET: "a-secret-of-the-instance",
}
const keyOfNode = "key-of-the-node-0123456789"

const contentsOf = (dir: string) =>
  readdirSync(dir).map((name) => {
    const bytes = readFileSync(join(dir, name))
    return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
  })

interface LoggedEvent {
  readonly kind: string
  readonly ref: string
  readonly sub: number
  readonly data: unknown
}

/** The events of the ledger in the order of the log. */
const ledgerEvents = (databaseUrl: string) =>
  administrate(databaseUrl)(
    (sql) => sql<LoggedEvent>`
      select kind, ref::text as ref, sub, data from event_log
      where kind in ('fill', 'block', 'reorg', 'split', 'merge', 'redemption', 'transfer') order by seq`,
  )

const positions = (databaseUrl: string) =>
  administrate(databaseUrl)(
    (sql) => sql<Record<string, unknown>>`
      select encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, p.shares::text, p.cost::text
      from position p join wallet w on w.id = p.wallet join token t on t.id = p.token order by 1, 2`,
  )

/** The shared stores, which are up already, and little to load. */
const storesAt = (databaseUrl: string, prefix: string) =>
  Object.entries({
    "database.url": databaseUrl,
    "redis.url": inject("redisUrl"),
    "redis.prefix": prefix,
    "ticks.history": "1m",
    "catalogue.closed-window": "0ms",
    "books.top": "4",
    "copy-pnl.every": "1h",
    // No other process takes over; a busy one must keep its actors.
    "cluster.lock-expiry": "1m",
    // A recording of some seconds ends before its blocks have many others on top.
    "webhooks.confirmations": "0",
  }).flatMap(([name, value]) => ["--set", `${name}=${value}`])

/** Receives webhooks and keeps their bodies. */
const receiver = Effect.gen(function* () {
  const bodies: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listening = createServer((request, response) => {
        void text(request).then((body) => {
          bodies.push(body)
          response.end()
        })
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) => Effect.sync(() => listening.closeAllConnections()),
  )
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
})

/** Messages of subscriptions to fills and prices. */
const subscriber = Effect.fnUntraced(function* (url: string, key: string) {
  const messages: Array<Record<string, unknown>> = []
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const socket = new WebSocket(url, { headers: { "x-api-key": key } })
      socket.on("open", () => {
        for (const type of ["fills", "oracle"]) socket.send(JSON.stringify({ action: "subscribe", type }))
      })
      socket.on("message", (data) => messages.push(JSON.parse(String(data))))
      return socket
    }),
    (socket) => Effect.sync(() => socket.terminate()),
  )
  return messages
})

layer(foundation, { excludeTestServices: true })("A recording", (it) => {
  it.effect(
    "replays to the venue's facts at any speed, streams them with their times, and contains no credentials",
    () =>
      Effect.gen(function* () {
        const dir = yield* directory
        const to = join(dir, "recording")
        const stores = yield* sandboxEnvironment
        const venue = yield* runningVenue(7, { genesis: undefined, clock: Date.now, rate: 4 })
        const recorder = yield* start({
          name: "record",
          file: "src/main.ts",
          args: [
            ...["record", "--minutes", "0.1", "--to", to, "--json"],
            ...storesAt(Redacted.value(yield* migratedDatabase), `${stores.REDIS_PREFIX}r`),
          ],
          env: {
            ...credentials,
            UPSTREAM_SIMULATOR_URL: venue.url,
            UPSTREAM_RPC_URL: `${venue.url}/rpc?key=${keyOfNode}`,
            PRESAGE_DIR: join(dir, "instance"),
          },
        })
        assert.strictEqual(yield* recorder.exit(patience), 0, recorder.log())
        const manifest = JSON.parse(recorder.lines.join("\n"))
        assert.deepInclude(manifest, {
          format: "presage-recording",
          version: 1,
          ended: "complete",
          upstream: "simulator",
        })
        for (const source of ["chain", "gamma", "clob", "clob-socket", "polybolt", "datastreams-socket", "pending"])
          assert.isAbove(manifest.files[source]?.lines ?? 0, 0, source)
        const whole = contentsOf(to).join("\n")
        for (const secret of [...Object.values(credentials), keyOfNode]) assert.notInclude(whole, secret)

        const { key } = yield* (yield* Keys).open("growth", KeyName.make("replay"))
        const fast = Redacted.value(yield* migratedDatabase)
        const replaying = (name: string, databaseUrl: string, prefix: string, ...args: ReadonlyArray<string>) =>
          start({
            name,
            file: "src/main.ts",
            args: [...["replay", to, "--port", "0", "--ws-port", "0", ...args], ...storesAt(databaseUrl, prefix)],
            env: {
              PRESAGE_SECRET: stores.PRESAGE_SECRET,
              PRESAGE_DIR: join(dir, "instance"),
              WEBHOOKS_ALLOW_INSECURE: "true",
            },
          })
        const atMost = yield* replaying("replay at most", fast, `${stores.REDIS_PREFIX}x`, "--speed", "max", "--exit")
        const live = yield* replaying("replay", stores.DATABASE_URL, stores.REDIS_PREFIX, "--paused")

        const ready = yield* live.waitForLine(/^presage ready/, patience)
        yield* live.waitForLine(/^paused at the start/, patience)
        const [, api = ""] = /api (\S+)/.exec(ready) ?? []
        const [, ws = ""] = /ws (ws:\S+)/.exec(ready) ?? []
        const headers = { "x-api-key": Redacted.value(key), "content-type": "application/json" }
        const hook = yield* receiver
        const messages = yield* subscriber(ws, Redacted.value(key))
        const created = yield* Effect.promise(() =>
          fetch(`${api}/v3/webhooks`, {
            method: "POST",
            headers,
            body: JSON.stringify({ url: hook.url, event_types: ["trade"], filters: {} }),
          }),
        )
        assert.strictEqual(created.status, 201, yield* Effect.promise(() => created.text()))
        const isSubscribed = Effect.sync(() => messages.filter(({ type }) => type === "subscribed").length === 2)
        yield* eventually("both subscriptions", patience, isSubscribed)
        live.say("")
        // After the end of the recording time goes on.
        const isRecorded = (millis: number) =>
          millis >= manifest.started_at - 60_000 && millis <= manifest.ended_at + 60_000

        yield* eventually(
          "a fill on the stream",
          patience,
          Effect.sync(() => messages.some(({ type }) => type === "event")),
        )
        yield* eventually(
          "a delivery",
          patience,
          Effect.sync(() => hook.bodies.length > 0),
        )
        const heartbeat = Effect.sync(() => messages.some(({ type }) => type === "heartbeat"))
        yield* eventually("a heartbeat", patience, heartbeat)
        const hasPrice = Effect.sync(() => messages.some(({ type }) => type === "price_feed"))
        yield* eventually("a price", patience, hasPrice)
        const books = Effect.promise(async () => {
          const { sources } = (await (await fetch(`${api}/v1/status`, { headers })).json()) as {
            readonly sources: ReadonlyArray<{ readonly source: string; readonly age_seconds: number | null }>
          }
          return sources.some(({ source, age_seconds }) => source === "books" && age_seconds !== null)
        })
        yield* eventually("order books", patience, books)
        const { ts } = messages.find(({ type }) => type === "heartbeat") ?? {}
        assert.isTrue(
          Number(ts) >= manifest.started_at - 60_000 && Number(ts) <= manifest.ended_at + 60_000,
          String(ts),
        )

        yield* live.waitForLine(/^the recording has ended/, patience)
        assert.strictEqual(yield* atMost.exit(patience), 0, atMost.log())
        const events = yield* ledgerEvents(fast)
        const counts = yield* Effect.promise(async () => {
          const query = `from_block=${manifest.first_block}&to_block=${manifest.last_block}`
          return (await (await fetch(`${venue.url}/_sim/truth/counts?${query}`)).json()) as { readonly fills: number }
        })
        assert.strictEqual(events.filter(({ kind }) => kind === "fill").length, counts.fills)
        assert.deepStrictEqual(yield* ledgerEvents(stores.DATABASE_URL), events)
        assert.deepStrictEqual(yield* positions(stores.DATABASE_URL), yield* positions(fast))
        const streamed = messages.filter(({ type }) => type === "event")
        const delivered = hook.bodies.map((body) => JSON.parse(body))
        assert.deepStrictEqual(
          streamed.filter(({ data }) => !isRecorded(Number((data as Record<string, unknown>)["timestamp"]) * 1000)),
          [],
        )
        const prices = messages.filter(({ type }) => type === "price_feed")
        assert.deepStrictEqual(
          prices.filter(({ timestamp_ms }) => !isRecorded(Number(timestamp_ms))),
          [],
        )
        assert.deepStrictEqual(
          delivered.filter(({ created_at }) => !isRecorded(Date.parse(created_at))),
          [],
        )
        live.stop("SIGINT")
        assert.strictEqual(yield* live.exit(patience), 0, live.log())
        assert.isFalse(existsSync(join(dir, "instance")), "nothing is left behind")
      }),
    600_000,
  )
})
