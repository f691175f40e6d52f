import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Layer, Option, type Redacted, Scope } from "effect"
import { RunnerAddress } from "effect/unstable/cluster"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import { diagnoseListenFailure } from "#src/platform/http/listenErrors.ts"
import { withSchemaLock } from "#src/platform/sql/schemaLock.ts"
import { retryTransient, reviveCommitFailure } from "#src/platform/sql/sqlFailure.ts"
import { clusterHost, clusterListenHost, clusterLockExpiry, clusterPort } from "./settings.ts"

/**
 * An actor of a killed or frozen process restarts elsewhere within 15 s: shard locks expire after 9 s by default, and other runners
 * check every second. Measured; the defaults of Effect take 30 s.
 */
const timing = (lockExpiry: Duration.Duration) =>
  ({
    shardsPerGroup: 32,
    shardLockExpiration: lockExpiry,
    shardLockRefreshInterval: Duration.divideUnsafe(lockExpiry, 3),
    // A runner without shards asks for them on one connection, and after a failure again after this time. Postgres would
    // have closed that connection by then if the time were longer than `idle_session_timeout`, and so on for ever.
    entityMessagePollInterval: Duration.divideUnsafe(lockExpiry, 3),
    refreshAssignmentsInterval: "1 second",
    runnerHealthCheckInterval: "5 seconds",
  }) as const

/** A pool of its own. Postgres closes its connections when the process is frozen, which frees the shard locks. */
const clusterClient = (url: Redacted.Redacted<string>, lockExpiry: Duration.Duration) =>
  PgClient.layer({
    url,
    applicationName: "presage cluster",
    maxConnections: 4,
    startupParameters: {
      idle_session_timeout: String(Duration.toMillis(lockExpiry) - 1_000),
      statement_timeout: "5000",
      lock_timeout: "5000",
    },
  })

/** Joins this process to the cluster. Actors are spread over all runners with the same database. */
export const clusterRunner = (url: Redacted.Redacted<string>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const config = yield* Configuration
      const host = config.get(clusterHost)
      const listenHost = config.get(clusterListenHost) || host
      const given = config.get(clusterPort)
      const lockExpiry = config.get(clusterLockExpiry)
      const listen = Effect.fnUntraced(function* (port: number) {
        const attempt = yield* Scope.fork(scope)
        return yield* Layer.build(
          NodeClusterSocket.layer({
            storage: "sql",
            shardingConfig: {
              ...timing(lockExpiry),
              runnerAddress: Option.some(RunnerAddress.make(host, port)),
              runnerListenAddress: Option.some(RunnerAddress.make(listenHost, port)),
            },
          }).pipe(Layer.provide(clusterClient(url, lockExpiry))),
        ).pipe(
          Scope.provide(attempt),
          // The cluster storage creates its tables here.
          withSchemaLock(url),
          Effect.catchTag("SocketServerError", () =>
            Effect.flip(diagnoseListenFailure(listenHost, port, clusterPort.env)),
          ),
          Effect.onError((cause) => Scope.close(attempt, Exit.failCause(cause))),
        )
      })
      // Postgres may restart at this moment, for example because the process that ran it has ended.
      const join = (port: number) =>
        listen(port).pipe(
          Effect.catchCause((cause) => Effect.failCause(reviveCommitFailure(cause, false))),
          retryTransient("30 seconds"),
        )
      if (given !== 0) return yield* join(given)
      // Another connection may take the port between the check and the listen.
      return yield* freePort.pipe(
        Effect.flatMap(join),
        Effect.retry({ times: 5, while: (error) => error._tag === "PortTaken" }),
      )
    }),
  )
