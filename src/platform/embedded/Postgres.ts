import { readFileSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { ensureSecrets, hashOf, openDirectory } from "./directory.ts"
import { chooseRunner } from "./identity.ts"
import { findServers, stopOrphans } from "./orphans.ts"
import { findPostgres } from "./postgresBinaries.ts"
import { database, ensureData, ensurePassword, user } from "./postgresData.ts"
import { type RunningServer, runServer, type ServerPlan } from "./Server.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

export interface PostgresOptions {
  /** Data goes to `<dir>/postgres`, the log to `<dir>/logs/postgres.log`, passwords to `<dir>/secrets.json`. */
  readonly dir: string
  /** Exactly this port; by default a free one. */
  readonly port?: number
  /** This port if it is free, otherwise another free one. */
  readonly preferredPort?: number
  /** Restart after an unexpected exit (default true). */
  readonly supervise?: boolean
  /** Survive a power failure (default true). Tests turn it off to save disk waits; SIGKILL loses nothing either way. */
  readonly durable?: boolean
  readonly config?: Readonly<Record<string, string>>
}

/** Parallel queries share memory through /dev/shm, which has only 64 MB in a container. */
const sharedMemory = (): Readonly<Record<string, string>> => {
  if (process.platform !== "linux") return {}
  try {
    const { blocks, bsize } = statfsSync("/dev/shm")
    if (blocks * bsize >= 256 << 20) return {}
  } catch {}
  return { dynamic_shared_memory_type: "mmap" }
}

const settings = (durable: boolean): Readonly<Record<string, string>> => ({
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  password_encryption: "scram-sha-256",
  max_connections: "200",
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "8MB",
  maintenance_work_mem: "128MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_wal_size: "2GB",
  synchronous_commit: "on",
  random_page_cost: "1.1",
  jit: "off",
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "30s",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  ...sharedMemory(),
  ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
})

/** The eighth line of the lock file says `ready` once the server accepts connections. */
const isReadyIn = (dataDir: string, pid: number): boolean => {
  try {
    const lines = readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n")
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready"
  } catch {
    return false
  }
}

export const postgresUrl = (password: Redacted.Redacted<string>, port: number) =>
  Redacted.make(`postgres://${user}:${Redacted.value(password)}@127.0.0.1:${port}/${database}`)

/** Runs an embedded Postgres on 127.0.0.1 until the scope closes. */
export const startPostgres = Effect.fnUntraced(function* (
  options: PostgresOptions,
): Effect.fn.Return<RunningServer, StoreUnavailable, Scope.Scope> {
  const durable = options.durable ?? true
  const dir = yield* openDirectory(options.dir)
  const { postgres: password } = yield* ensureSecrets(dir)
  const binaries = yield* findPostgres
  const runner = yield* chooseRunner({ dir: dir.path, dataDir: dir.file("postgres"), file: binaries.share })
  const data = { dir, binaries, runner, password, durable }
  const dataDir = yield* ensureData(data)
  // Part of the title of every process of this server, which identifies its orphans.
  const tag = `presage-${hashOf(dataDir)}`
  const orphans = findServers({
    program: "postgres",
    argument: `cluster_name=${tag}`,
    title: `postgres: ${tag}: `,
  })

  const prepare = Effect.fnUntraced(function* (port: number) {
    yield* stopOrphans(orphans, "SIGINT")
    const config = { ...settings(durable), ...options.config, port: String(port), cluster_name: tag }
    const flags = Object.entries(config).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    return [binaries.postgres, "-D", dataDir, ...flags]
  })

  const plan: ServerPlan = {
    store: "postgres",
    dataDir,
    identity: runner.identity,
    stopSignal: "INT",
    logFile: dir.file("logs", "postgres.log"),
    lockFile: dir.file("postgres.lock"),
    staleFile: join(dataDir, "postmaster.pid"),
    url: (port) => postgresUrl(password, port),
    prepare,
    isReady: (_, pid) => Effect.sync(() => isReadyIn(dataDir, pid)),
    // Child processes of a crashed server need a moment to exit.
    repair: (log) => Effect.succeed(/pre-existing shared memory block|lock file .* already exists/.test(log)),
  }
  yield* stopOrphans(orphans, "SIGINT")
  yield* ensurePassword(data, dataDir)
  return yield* runServer(plan, options)
})
