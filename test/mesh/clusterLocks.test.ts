import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, type Redacted, Scope } from "effect"
import { Singleton } from "effect/unstable/cluster"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { eventually } from "#test/support/eventually.ts"
import { emptyDatabase, testConfiguration } from "#test/support/TestStores.ts"

/** Effect's namespace of the advisory locks of shards: FNV-1a of its name. */
const namespace = [...Buffer.from("effect-cluster:cluster")].reduce(
  (hash, byte) => Math.imul(hash ^ byte, 0x01000193),
  0x811c9dc5,
)

const clientOf = (url: Redacted.Redacted<string>) => PgClient.make({ url, maxConnections: 1, idleTimeout: "1 hour" })

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
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(Reactivity.layer, testConfiguration({ "cluster.lock-expiry": "9s" }), Logger.layer([])),
      ),
    ),
  )
})
