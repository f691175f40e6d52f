import { createServer, connect as dial, type Socket } from "node:net"
import { it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

/** A proxy that can silently drop all data of its current connections while new ones work, as a failed firewall does. */
const droppingProxy = (target: URL) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly drop: () => void; readonly close: () => void }>((resume) => {
      const pairs = new Set<readonly [Socket, Socket]>()
      const server = createServer((inner) => {
        const outer = dial(Number(target.port), target.hostname)
        inner.pipe(outer).pipe(inner)
        for (const socket of [inner, outer]) socket.on("error", () => undefined)
        pairs.add([inner, outer])
      })
      const drop = () => {
        for (const [inner, outer] of pairs) {
          inner.unpipe(outer)
          outer.unpipe(inner)
          inner.resume()
        }
      }
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          server.close()
          for (const sockets of pairs) for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ port: (server.address() as { port: number }).port, drop, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

it.live("silently dead connections are replaced, and queries work again", () =>
  Effect.gen(function* () {
    const url = new URL(inject("databaseUrl"))
    const proxy = yield* droppingProxy(new URL(url))
    url.hostname = "127.0.0.1"
    url.port = String(proxy.port)
    yield* Effect.gen(function* () {
      const { reads, sql } = yield* Postgres
      yield* Effect.all([sql`select 1`, reads`select 1`])
      proxy.drop()
      const works = Effect.all([sql`select 1`, reads`select 1`]).pipe(
        Effect.as(true),
        Effect.timeout("2 seconds"),
        Effect.orElseSucceed(() => false),
      )
      yield* eventually("both pools answer again", works, "40 seconds")
    }).pipe(
      Effect.provide(Postgres.layer(Redacted.make(url.href))),
      Effect.provide(testConfiguration({ "postgres.statement-timeout": "500ms", "postgres.read-pool": "1" })),
    )
  }),
)
