import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Logger } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Feed } from "#src/feed/Feed.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import type { RunningServer } from "#src/platform/embedded/Server.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { privateStores } from "#test/support/processes/privateStores.ts"
import { testConfiguration, testSecret } from "#test/support/TestStores.ts"

const readyWithin = 240_000
const main = { file: "src/main.ts", args: ["start"] }
const isReady = (process: Process) => process.waitForLine(/^presage ready/, readyWithin)

/** Kills a server and deletes its data, as on a machine without a disk. */
export const loseData = ({ kill, start: again, dataDir }: RunningServer) =>
  Effect.gen(function* () {
    yield* kill
    yield* Effect.sync(() => {
      for (const name of readdirSync(dataDir))
        if (name !== "redis.conf") rmSync(join(dataDir, name), { recursive: true, force: true })
    })
    yield* again
  })

/** A worker and two gateways in separate processes on private stores. Killed gateways restart at their old address. */
export const killableGateways = (venue: string, more: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { postgres, redis, prefix, env: stores } = yield* privateStores
    const env = {
      ...stores,
      PRESAGE_SECRET: testSecret,
      UPSTREAM_SIMULATOR_URL: venue,
      // Number of blocks read one by one before the ledger first reaches the head.
      LEDGER_REORG_DEPTH: "32",
      // Reads all open events, which these tests do not need again.
      CATALOGUE_SWEEP_EVERY: "10m",
      PORT: "0",
      ...more,
    }
    const worker = yield* start({
      name: "worker",
      ...main,
      env: { ...env, ROLE: "worker", CLUSTER_PORT: String(yield* freePort) },
    })
    yield* isReady(worker)

    const ports = [yield* freePort, yield* freePort]
    const processes: Array<Process> = []
    const startGateway = (index: number) =>
      Effect.map(
        start({
          name: `gateway ${index + 1}, process ${processes.length + 1}`,
          ...main,
          env: { ...env, ROLE: "gateway", WS_PORT: String(ports[index]) },
        }),
        (process) => {
          processes.push(process)
          return process
        },
      )
    const gateways = yield* Effect.all([startGateway(0), startGateway(1)])
    yield* Effect.forEach(gateways, isReady)

    const services = Layer.merge(Feed.layer, accountKeys).pipe(
      Layer.provideMerge(Layer.mergeAll(EventLog.layer, Secrets.layer, Enrichment.layer)),
      Layer.provideMerge(Layer.merge(Postgres.layer(postgres.url), Redis.layer(redis.url))),
      Layer.provideMerge(testConfiguration({ "redis.prefix": prefix, "presage.secret": testSecret })),
      Layer.provideMerge(Logger.layer([])),
    )

    return {
      redis: {
        restart: (downMillis: number) => Effect.all([redis.kill, pause(downMillis), redis.start], { discard: true }),
        lose: loseData(redis),
      },
      services,
      worker,
      processes,
      addressOf: (index: number, key: string) => `ws://127.0.0.1:${ports[index]}/ws?key=${key}`,
      /** Sends SIGKILL once both gateways are ready; the successor is starting when this returns. */
      kill: (index: number) =>
        Effect.gen(function* () {
          yield* Effect.forEach(gateways, isReady)
          gateways[index]?.kill()
          yield* gateways[index]?.exit(10_000) ?? Effect.void
          gateways[index] = yield* startGateway(index)
        }),
    }
  })
