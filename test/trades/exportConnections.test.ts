import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { tradeFields } from "#src/trades/lines.ts"
import { speak } from "#test/http/support/client.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { boundPort } from "#test/http/support/server.ts"
import { eventually } from "#test/support/eventually.ts"
import { holding } from "#test/support/hold.ts"
import { fillMaker } from "#test/webhooks/support/fills.ts"
import { tradesOf } from "./support/expected.ts"
import { busiest, pathOf, runsWithWaiters, untilEver, world } from "./support/exporting.ts"

const oneAtATime = { "trades-export.per-account": "1", "trades-export.per-process": "1" }
const requestOf = (version: string, path: string, key: string, accept: string) =>
  `GET ${path} HTTP/${version}\r\nHost: x\r\nx-api-key: ${key}\r\naccept: ${accept}\r\n\r\n`

const noWaiters = eventually(
  "no run has waiters",
  Effect.map(runsWithWaiters, (count) => count === 0),
)

layer(world(oneAtATime), { excludeTestServices: true })("Exports over HTTP/1.0", (it) => {
  it.effect("end with the connection, have no trailers, and release their slot", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      yield* chain.block(10)
      const wallet = yield* busiest
      const expected = yield* tradesOf(wallet)
      const port = yield* boundPort
      const { key } = yield* keyOf("growth")
      const lines = (fields: ReadonlyArray<unknown>) => fields.map((line) => `${line}\n`).join("")
      const rows = expected.map((trade) => tradeFields.map((field) => trade[field]).join())
      const bodies = {
        "text/csv": lines([tradeFields.join(), ...rows]),
        "application/x-ndjson": lines(expected.map((trade) => JSON.stringify(trade))),
      }
      for (const [accept, body] of Object.entries(bodies)) {
        // The same key each time: a slot that was not released would be missing here.
        const received = yield* speak(port, requestOf("1.0", pathOf(wallet), key, accept))
        const [head = "", ...rest] = received.split("\r\n\r\n")
        assert.match(head, /^HTTP\/1\.1 200 /)
        assert.match(head, new RegExp(`x-wallet: ${wallet}`, "i"))
        assert.notMatch(head, /trailer|chunked/i)
        assert.strictEqual(rest.join("\r\n\r\n"), body)
        yield* noWaiters
      }
      assert.strictEqual((yield* askWith(key, pathOf(wallet))).status, 200)
    }),
  )
})

layer(world({ "trades-export.per-account": "4" }), { excludeTestServices: true })("Pipelined exports", (it) => {
  it.effect("release their slots when their clients leave", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      yield* chain.block(10)
      const wallet = yield* busiest
      const port = yield* boundPort
      const { key } = yield* keyOf("growth")
      const waiting = Effect.gen(function* () {
        const sockets = [0, 1, 2].map((n) => {
          const socket = connect(port, "127.0.0.1")
          socket.on("error", () => undefined)
          const requests = [0, 1, 2, 3].map((m) => pathOf(wallet, `${untilEver}&from=${1_704_067_200 + 4 * n + m}`))
          socket.write(requests.map((path) => requestOf("1.1", path, key, "text/csv")).join(""))
          return socket
        })
        yield* eventually(
          "an export runs on each connection",
          Effect.map(runsWithWaiters, (count) => count === 3),
        )
        for (const socket of sockets) socket.destroy()
        yield* noWaiters
      })
      yield* holding("lock table fill in access exclusive mode", waiting)
      const exports = [0, 1, 2, 3].map((n) => askWith(key, pathOf(wallet, `${untilEver}&from=${1_704_067_300 + n}`)))
      const answers = yield* Effect.all(exports, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      )
    }),
  )
})

const impatient = { ...oneAtATime, "trades-export.idle": "500ms", "trades-export.page": "2000" }
layer(world(impatient), { excludeTestServices: true })("Exports to a client that does not read", (it) => {
  it.effect("are cut off and release their slot", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      yield* chain.block(1)
      const { sql } = yield* Postgres
      // More than the kernel buffers for a client that does not read.
      yield* sql`
        insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
        select shares, usd, fee, block, log_index + i, at, maker, taker, token, builder, exchange, is_sale, order_hash
        from fill, generate_series(1, 30000) i`
      const wallet = yield* busiest
      const { key } = yield* keyOf("growth")
      const port = yield* boundPort
      const isCut = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const socket = connect(port, "127.0.0.1")
          let isClosed = false
          socket.on("error", () => undefined)
          socket.on("close", () => {
            isClosed = true
          })
          // A paused socket notices the end of its connection only after it resumes.
          socket.pause()
          socket.write(requestOf("1.1", pathOf(wallet, untilEver), key, "application/json"))
          return { socket, isClosed: Effect.sync(() => isClosed) }
        }),
        ({ socket }) => Effect.sync(() => socket.destroy()),
      )
      yield* eventually(
        "it holds its slot",
        Effect.map(runsWithWaiters, (count) => count === 1),
      )
      yield* eventually(
        "its slot is free",
        Effect.map(askWith(key, pathOf(wallet, "?from=0&to=1")), ({ status }) => status === 200),
      )
      isCut.socket.resume()
      yield* eventually("its connection is cut", isCut.isClosed)
      yield* noWaiters
    }).pipe(Effect.scoped),
  )
})
