import { createServer, type Server } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, type Redacted, Scope } from "effect"
import { Singleton } from "effect/unstable/cluster"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { eventually } from "#test/support/eventually.ts"
import { emptyDatabase, testConfiguration } from "#test/support/TestStores.ts"

/** Effect's namespace of the advisory locks of shards: FNV-1a of its name. */
const namespace = [...Buffer.from("effect-cluster:cluster")].reduce(
  (hash, byte) => Math.imul(hash ^ byte, 0x01000193),
  0x811c9dc5,
)

const clientOf = (url: Redacted.Redacted<string>) => PgClient.make({ url, maxConnections: 1, idleTimeout: "1 hour" })

/** Accepts connections on the port and closes them at once; `called` succeeds with the first. */
const refusing = (port: number, called: Deferred.Deferred<void>) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer((socket) => {
            socket.destroy()
            Deferred.doneUnsafe(called, Effect.void)
          })
          server.listen(port, "127.0.0.1", () => resolve(server))
        }),
    ),
    (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve))),
  )

const environment = Layer.mergeAll(
  Reactivity.layer,
  testConfiguration({ "cluster.lock-expiry": "9s" }),
  Logger.layer([]),
)

describe("a runner that waits for the shards of another process", () => {
  it.live("gets them although its connection broke meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const other = yield* Scope.make()
      const holder = yield* Scope.provide(clientOf(url), other)
      yield* holder.unsafe(`select pg_advisory_lock(${namespace}, 1000000 + n) from generate_series(1, 32) n`)

      const runs = yield* Deferred.make<void>()
      const actor = Singleton.make("lonely", Effect.andThen(Deferred.succeed(runs, undefined), Effect.never))
      yield* Layer.build(Layer.provide(actor, Layer.fresh(clusterRunner(url))))

      const cutOff = holder.unsafe<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from pg_stat_activity
         where datname = current_database() and application_name = 'presage cluster' and query like '%pg_try_advisory_lock%'`,
      )
      yield* eventually(
        "the connection that asked for shards is cut off",
        Effect.map(cutOff, (rows) => rows.length > 0),
      )
      yield* Scope.close(other, Exit.void)
      yield* eventually("the actor runs", Deferred.isDone(runs))
    }).pipe(Effect.scoped, Effect.provide(environment)),
  )
})

describe("a runner that starts", () => {
  it.live("waits for a Postgres that restarts at that moment, instead of ending the process", () =>
    Effect.gen(function* () {
      const postgres = yield* startPostgres({ dir: yield* initialisedDir, supervise: false })
      yield* postgres.stop
      const called = yield* Deferred.make<void>()
      const outage = yield* Scope.make()
      yield* Scope.provide(refusing(postgres.port, called), outage)
      const starting = yield* Effect.forkChild(Layer.build(Layer.fresh(clusterRunner(postgres.url))))
      yield* Deferred.await(called)
      yield* Scope.close(outage, Exit.void)
      yield* postgres.start
      yield* Fiber.join(starting)
    }).pipe(Effect.scoped, Effect.provide(environment)),
  )
})
