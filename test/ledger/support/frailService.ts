import { Effect, Layer, Logger } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { privateStores } from "#test/support/processes/privateStores.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { testConfiguration } from "#test/support/TestStores.ts"

const readyWithin = 60_000

/** Number of blocks that are read one by one before the ledger first reaches the head; tests replace up to 20. */
const reorgDepth = process.env.PRESAGE_SOAK === "1" ? "60" : "24"

/** A follower in its own process on private stores, all of which may be killed. */
export const frailService = (url: string, more: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { postgres, redis, prefix, env: storesEnv } = yield* privateStores
    const env = {
      ...storesEnv,
      UPSTREAM_SIMULATOR_URL: url,
      UPSTREAM_RPC_HEADS_SILENT_AFTER: "1s",
      UPSTREAM_RPC_ATTEMPTS: "6",
      EVENT_LOG_RETENTION: "3650d",
      LEDGER_REORG_DEPTH: reorgDepth,
      // The successor has the same address, as a restarted service does.
      CLUSTER_PORT: String(yield* freePort),
      ...more,
    }
    const followers: Array<Process> = []
    const startFollower = Effect.gen(function* () {
      const name = `follower ${followers.length + 1}`
      followers.push(yield* start({ name, file: "test/support/processes/entries/follower.ts", env }))
    })
    yield* startFollower
    yield* Effect.forEach(followers, (each) => each.waitFor("ready", { within: readyWithin }))
    const stores = EventTail.layer.pipe(
      Layer.provideMerge(EventLog.layer),
      Layer.provideMerge(Layer.merge(Postgres.layer(postgres.url), Redis.layer(redis.url))),
      Layer.provideMerge(testConfiguration({ "redis.prefix": prefix, "ledger.reorg-depth": reorgDepth })),
      Layer.provideMerge(Logger.layer([])),
    )
    const kill = Effect.suspend(() => {
      followers.at(-1)?.kill()
      return startFollower
    })
    return { postgres, redis, followers, kill, stores }
  })

/** Waits until the ledger has the newest block, by number and hash; Postgres may be unavailable meanwhile. */
export const reachesHead = (simulation: Simulation, withinMillis: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    return yield* eventually(
      "the ledger is at the newest block",
      withinMillis,
      sql<{ block: number; hash: Uint8Array }>`select block, hash from chain_cursor`.pipe(
        Effect.map(
          ([row]) =>
            row?.block === simulation.head &&
            `0x${Buffer.from(row.hash).toString("hex")}` === simulation.chain.hashOf(simulation.head),
        ),
        Effect.catch(() => Effect.succeed(false)),
      ),
    )
  })
