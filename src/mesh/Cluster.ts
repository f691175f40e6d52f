import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Exit, Layer, Option, type Redacted, Scope } from "effect"
import { RunnerAddress } from "effect/unstable/cluster"
import { Configuration } from "#src/platform/Configuration.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import { whyNotListen } from "#src/platform/listening.ts"
import { oneAtATime } from "#src/platform/oneAtATime.ts"
import { clusterHost, clusterListenHost, clusterLockExpiry, clusterPort } from "./settings.ts"

/**
 * An actor of a killed or frozen process runs elsewhere within 15 s: its locks live 9 s by default, successors look
 * every second. Measured; the defaults of Effect take 30 s.
 */
const timing = (lockExpiry: Duration.Duration) =>
  ({
    shardsPerGroup: 32,
    shardLockExpiration: lockExpiry,
    shardLockRefreshInterval: Duration.divideUnsafe(lockExpiry, 3),
    refreshAssignmentsInterval: "1 second",
    runnerHealthCheckInterval: "5 seconds",
  }) as const

/** Its own few connections, which Postgres closes when the process is frozen, so that its locks are freed. */
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

/** This process as a runner of the cluster: actors registered on it are spread over all runners with the same database. */
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
          // It makes its tables on the way.
          oneAtATime(url),
          Effect.catchTag("SocketServerError", () => Effect.flip(whyNotListen(listenHost, port, clusterPort.env))),
          Effect.onError((cause) => Scope.close(attempt, Exit.failCause(cause))),
        )
      })
      if (given !== 0) return yield* listen(given)
      // A port that was free a moment ago may be taken now, be it by somebody's outgoing connection.
      return yield* freePort.pipe(
        Effect.flatMap(listen),
        Effect.retry({ times: 5, while: (error) => error._tag === "PortTaken" }),
      )
    }),
  )
