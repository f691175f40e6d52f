import { Agent, get } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, Queue, Scope } from "effect"
import { call } from "./support/client.ts"
import { boundPort, testServer } from "./support/server.ts"
import { SlowRequests } from "./support/TestApi.ts"

/** A running server that the test stops. */
const started = (env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const context = yield* Layer.buildWithScope(testServer({ env }).pipe(Layer.provide(Logger.layer([]))), scope)
    const port = yield* Effect.provideContext(boundPort, context)
    return { port, gate: Context.get(context, SlowRequests), close: Scope.close(scope, Exit.void) }
  })

const refusesConnections = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.on("error", () => resume(Effect.succeed(true)))
  })

const getVia = (agent: Agent, port: number, path: string) =>
  Effect.callback<{ status: number; connection: string | undefined }, Error>((resume) => {
    const outgoing = get({ host: "127.0.0.1", port, path, agent }, (incoming) => {
      incoming.resume()
      incoming.on("end", () =>
        resume(Effect.succeed({ status: incoming.statusCode ?? 0, connection: incoming.headers.connection })),
      )
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
  })

const keepAlive = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true })),
  (agent) => Effect.sync(() => agent.destroy()),
)

describe("A server that shuts down", () => {
  it.live("finishes running requests, refuses new connections and stops", () =>
    Effect.gen(function* () {
      const { port, gate, close } = yield* started({ SHUTDOWN_GRACE: "2m" })
      const inFlight = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => call(port, "/v1/test/slow")),
          { concurrency: "unbounded" },
        ),
      )
      yield* Effect.all(Array.from({ length: 20 }, () => Queue.take(gate.arrived)))
      const closing = yield* Effect.forkChild(close)
      while (!(yield* refusesConnections(port))) yield* Effect.yieldNow
      gate.latch.openUnsafe()
      for (const answer of yield* Fiber.join(inFlight)) {
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["connection"], "close")
      }
      yield* Fiber.join(closing).pipe(Effect.timeout("30 seconds"))
    }),
  )

  it.live("fails no request of clients with busy connections", () =>
    Effect.gen(function* () {
      const { port, close } = yield* started()
      const agent = yield* keepAlive
      let answered = 0
      let lastOnes = 0
      const client = Effect.gen(function* () {
        for (;;) {
          const { status, connection } = yield* getVia(agent, port, "/v1/test/logs")
          assert.strictEqual(status, 200)
          answered++
          if (connection === "close") {
            lastOnes++
            return
          }
        }
      })
      const clients = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => client),
          { concurrency: "unbounded" },
        ),
      )
      while (answered < 200) yield* Effect.yieldNow
      yield* close
      yield* Fiber.join(clients)
      assert.strictEqual(lastOnes, 20)
    }),
  )

  it.live("answers a request on an idle connection while it drains", () =>
    Effect.gen(function* () {
      const { port, gate, close } = yield* started()
      const agent = yield* keepAlive
      assert.strictEqual((yield* getVia(agent, port, "/v1/test/logs")).connection, "keep-alive")
      const held = yield* Effect.forkChild(call(port, "/v1/test/slow"))
      yield* Queue.take(gate.arrived)
      const closing = yield* Effect.forkChild(close)
      while (!(yield* refusesConnections(port))) yield* Effect.yieldNow
      assert.deepStrictEqual(yield* getVia(agent, port, "/v1/test/logs"), { status: 200, connection: "close" })
      gate.latch.openUnsafe()
      assert.strictEqual((yield* Fiber.join(held)).status, 200)
      yield* Fiber.join(closing)
    }),
  )

  it.live("does not wait for idle connections", () =>
    Effect.gen(function* () {
      const { port, close } = yield* started({ SHUTDOWN_GRACE: "1m" })
      const agent = yield* keepAlive
      yield* getVia(agent, port, "/v1/test/logs")
      yield* close.pipe(Effect.timeout("30 seconds"))
    }),
  )

  it.live("aborts unfinished requests when the grace is over", () =>
    Effect.gen(function* () {
      const { port, gate, close } = yield* started({ SHUTDOWN_GRACE: "200ms" })
      const held = yield* Effect.forkChild(Effect.exit(call(port, "/v1/test/slow")))
      yield* Queue.take(gate.arrived)
      yield* close.pipe(Effect.timeout("30 seconds"))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(held)))
    }),
  )
})

describe("The port", () => {
  it.live("a taken port is reported with the setting to change", () =>
    Effect.gen(function* () {
      const { port } = yield* started()
      const error = yield* Effect.flip(started({ PORT: String(port) }))
      assert.strictEqual(error._tag, "PortTaken")
      assert.match(error.message, new RegExp(`port ${port} is taken by another program: .* with PORT`))
    }),
  )

  it.live("an address of another machine is refused with the reason", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(started({ HOST: "192.0.2.1" }))
      assert.strictEqual(error._tag, "CannotListen")
      assert.match(error.message, /cannot listen on 192\.0\.2\.1:0 .*EADDRNOTAVAIL/)
    }),
  )
})
