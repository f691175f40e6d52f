import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Effect, Layer, Logger, Redacted, Scope } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { Feed } from "#src/feed/Feed.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { freePort } from "#src/platform/embedded/ports.ts"
import { startRedis } from "#src/platform/embedded/Redis.ts"
import type { RunningServer } from "#src/platform/embedded/Server.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { startEnvironment, startFlags } from "#test/bench/support/startFlags.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { testConfiguration, testSecret } from "#test/support/TestStores.ts"
import { faultProxy } from "#test/webhooks/support/faultProxy.ts"
import { insecure } from "#test/webhooks/support/hooks.ts"
import { venueAt } from "./venue.ts"

/** Two workers, so that one can take over from the other. */
export const parts = ["venue", "worker", "other worker", "scheduler", "gateway", "api"] as const
export type Part = (typeof parts)[number]

const roles: Readonly<Record<Part, string>> = {
  venue: "simulator",
  worker: "worker",
  "other worker": "worker",
  scheduler: "scheduler",
  gateway: "gateway",
  api: "api",
}

const readyWithin = 600_000
/** Blocks that the ledger can undo, which `verify` must know too. */
const reorgDepth = "32"

/** What the documents promise is promised for these, which other process tests relax. */
export const asInProduction = {
  REDIS_COMMAND_TIMEOUT: "1s",
  POSTGRES_STATEMENT_TIMEOUT: "5s",
  POSTGRES_LOCK_TIMEOUT: "5s",
  POSTGRES_ADMISSION_TIMEOUT: "2s",
  EVENT_LOG_RETENTION: "3650d",
  LEDGER_REORG_DEPTH: reorgDepth,
  SIM_SCALE: "tiny",
  HOST: "127.0.0.1",
  LOG_FORMAT: "pretty",
  ...startEnvironment,
  ...insecure.environment,
}

/** A server behind a proxy that can fail. */
const behindProxy = (server: RunningServer) =>
  Effect.map(faultProxy(server.port), (network) => {
    const url = new URL(Redacted.value(server.url))
    url.port = String(network.port)
    return { server, network, url: url.href }
  })

/**
 * Looks at the stores directly, whatever the network of the service does. Fresh: several services run at a time, and layers
 * that are shared with another one would read its event log.
 */
export const servicesOn = (postgres: Redacted.Redacted, redis: Redacted.Redacted, prefix: string) =>
  Layer.fresh(lookingAt(postgres, redis, prefix))

const lookingAt = (postgres: Redacted.Redacted, redis: Redacted.Redacted, prefix: string) =>
  Layer.merge(Feed.layer, accountKeys).pipe(
    Layer.provideMerge(Layer.mergeAll(EventLog.layer, Secrets.layer, Enrichment.layer)),
    Layer.provideMerge(Layer.merge(Postgres.layer(postgres), Redis.layer(redis))),
    Layer.provideMerge(
      testConfiguration({ "redis.prefix": prefix, "presage.secret": testSecret, "ledger.reorg-depth": reorgDepth }),
    ),
    Layer.provideMerge(Logger.layer([])),
  )
export type Services = Layer.Success<ReturnType<typeof servicesOn>>

/** Every role in a process of its own, on stores of its own behind proxies, at ports that stay the same. */
export const startService = Effect.fnUntraced(function* (
  seed: number,
  /** For all processes but the venue. */
  more: Readonly<Record<string, string>> = {},
  {
    dirs = {},
    supervise = false,
  }: { readonly dirs?: Readonly<Partial<Record<"postgres" | "redis", string>>>; readonly supervise?: boolean } = {},
) {
  const scope = yield* Effect.scope
  const dir = yield* temporaryDir
  const { postgres, redis } = yield* Effect.all(
    {
      postgres: startPostgres({ dir: dirs.postgres ?? dir, supervise }),
      redis: startRedis({ dir: dirs.redis ?? dir, supervise }),
    },
    { concurrency: 2 },
  )
  const [toPostgres, toRedis] = yield* Effect.all([behindProxy(postgres), behindProxy(redis)])
  const prefix = `f${randomBytes(4).toString("hex")}`
  const ports = new Map<Part, number>()
  for (const part of parts) ports.set(part, yield* freePort)
  const clusterPorts = new Map<Part, number>()
  for (const part of parts) clusterPorts.set(part, yield* freePort)
  const at = (part: Part, protocol = "http") => `${protocol}://127.0.0.1:${ports.get(part)}`

  const environmentOf = (part: Part): Readonly<Record<string, string>> => {
    const port = String(ports.get(part))
    const own: Readonly<Partial<Record<Part, Readonly<Record<string, string>>>>> = {
      venue: { SIM_PORT: port, SIM_SEED: String(seed), PRESAGE_DIR: join(dir, "venue") },
      api: { PORT: port },
      gateway: { WS_PORT: port, OPS_PORT: "0" },
    }
    return {
      ...asInProduction,
      DATABASE_URL: toPostgres.url,
      REDIS_URL: toRedis.url,
      REDIS_PREFIX: prefix,
      PRESAGE_SECRET: testSecret,
      UPSTREAM_SIMULATOR_URL: at("venue"),
      CLUSTER_PORT: String(clusterPorts.get(part)),
      ROLE: roles[part],
      ...(part === "venue" ? {} : more),
      ...(own[part] ?? { OPS_PORT: port }),
    }
  }
  const processes = new Map<Part, Process>()
  const run = (part: Part) =>
    start({ name: part, file: "src/main.ts", args: ["start"], flags: startFlags, env: environmentOf(part) }).pipe(
      Effect.tap((process) => Effect.sync(() => processes.set(part, process))),
      Effect.provideService(Scope.Scope, scope),
    )
  const isReady = (process: Process) => Effect.asVoid(process.waitForLine(/^presage ready/, readyWithin))
  const processOf = (part: Part): Process => {
    const process = processes.get(part)
    if (process === undefined) throw new Error(`${part} has not been started`)
    return process
  }

  yield* Effect.flatMap(run("venue"), isReady)
  yield* Effect.forEach(parts.slice(1), (part) => Effect.flatMap(run(part), isReady), { concurrency: "unbounded" })

  return {
    dir,
    postgres,
    redis,
    /** The network between the service and its stores. */
    network: { postgres: toPostgres.network, redis: toRedis.network },
    api: at("api"),
    streams: at("gateway", "ws"),
    venue: venueAt(at("venue")),
    services: servicesOn(postgres.url, redis.url, prefix),
    processOf,
    /** Sends SIGKILL, and returns when the process has ended. */
    kill: (part: Part) =>
      Effect.gen(function* () {
        processOf(part).kill()
        yield* processOf(part).exit(10_000)
      }),
    /** Starts the successor of a process that has ended; it is starting when this returns. */
    restart: (part: Part) => Effect.asVoid(run(part)),
    awaitReady: (part: Part) => isReady(processOf(part)),
  }
})

export type Service = Effect.Success<ReturnType<typeof startService>>
