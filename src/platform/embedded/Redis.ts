import { chownSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { delimiter, join } from "node:path"
import { Clock, Effect, Redacted, type Scope } from "effect"
import { type Directory, ensureSecrets, openDirectory } from "./directory.ts"
import { chooseRunner, currentUser, type Runner, serverEnvironment } from "./identity.ts"
import { findServers, stopOrphans } from "./orphans.ts"
import { run } from "./processes.ts"
import { type RunningServer, runServer, type ServerPlan } from "./Server.ts"
import { fromFileError, StoreUnavailable } from "./StoreUnavailable.ts"

export interface RedisOptions {
  /** Data goes to `<dir>/redis`, the log to `<dir>/logs/redis.log`, passwords to `<dir>/secrets.json`. */
  readonly dir: string
  /** Exactly this port; by default a free one. */
  readonly port?: number
  /** This port if it is free, otherwise another free one. */
  readonly preferredPort?: number
  /** Restart after an unexpected exit (default true). */
  readonly supervise?: boolean
  readonly config?: Readonly<Record<string, string>>
}

interface RedisProgram {
  readonly path: string
  readonly name: string
}

const folders = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/usr/sbin", "/opt/local/bin", "/snap/bin"]

export const findRedis = Effect.gen(function* () {
  const path = [...(process.env.PATH ?? "").split(delimiter).filter((each) => each !== ""), ...folders]
  const found: Array<string> = []
  for (const name of ["redis-server", "valkey-server"]) {
    for (const program of path.map((folder) => join(folder, name)).filter(existsSync)) {
      const { code, output } = yield* run([program, "--version"], { env: serverEnvironment() })
      if (code !== 0) continue
      const version = /v=(\d+)\.\S+/.exec(output)
      if (Number(version?.[1]) >= 7) return { path: program, name } satisfies RedisProgram
      found.push(`${program} is version ${version?.[0].slice(2) ?? "unknown"}`)
    }
  }
  const why =
    found.length === 0 ? "redis-server was not found on this machine" : `Redis 7 or newer is needed, but ${found[0]}`
  return yield* new StoreUnavailable({
    store: "redis",
    message: `${why}: install it (for example apt-get install redis-server, or brew install redis), or set REDIS_URL to a Redis you run.`,
  })
})

/** Sends PING; a server that still loads its data replies LOADING. */
const respondsToPing = (port: number, password: Redacted.Redacted<string>) =>
  Effect.callback<boolean>((resume) => {
    let reply = ""
    const socket = connect({ port, host: "127.0.0.1" })
    const settle = (ready: boolean) => {
      socket.destroy()
      resume(Effect.succeed(ready))
    }
    socket.setTimeout(2_000, () => settle(false))
    socket.once("error", () => settle(false))
    socket.once("close", () => settle(false))
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      reply += chunk
      if (reply.includes("\r\n-") || reply.startsWith("-")) settle(false)
      else if (reply.includes("+PONG")) settle(true)
    })
    socket.write(`AUTH ${Redacted.value(password)}\r\nPING\r\n`)
    return Effect.sync(() => socket.destroy())
  })

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`

/** A file, because it contains the password and command lines are public. */
const writeConfig = (path: string, runner: Runner, config: Readonly<Record<string, string>>) => {
  const lines = Object.entries(config).map(([name, value]) => `${name} ${quoted(value)}\n`)
  writeFileSync(`${path}.draft`, lines.join(""), { mode: 0o600 })
  if (runner.owner !== undefined) chownSync(`${path}.draft`, runner.owner.uid, runner.owner.gid)
  renameSync(`${path}.draft`, path)
}

const makeDataDir = (dir: Directory, runner: Runner) =>
  Effect.try({
    try: () => {
      const dataDir = dir.file("redis")
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      if (runner.owner !== undefined) chownSync(dataDir, runner.owner.uid, runner.owner.gid)
      return dataDir
    },
    catch: fromFileError("redis", dir.file("redis")),
  })

const isCorrupt =
  /Bad file format reading the append only file|Unexpected end of file reading|Can't handle RDB format|RDB preamble|AOF manifest|Wrong signature|Internal error in RDB/i

/** Everything in Redis can be rebuilt from Postgres, so unreadable data must not prevent the start. */
const quarantineData = Effect.fnUntraced(function* (dataDir: string, log: string) {
  const folder = join(dataDir, "appendonlydir")
  if (!isCorrupt.test(log) || !existsSync(folder)) return false
  const aside = `${folder}.broken-${yield* Clock.currentTimeMillis}`
  yield* Effect.logWarning(`Redis cannot read its data; moved it to ${aside} and starting empty`)
  return yield* Effect.try(() => renameSync(folder, aside)).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
  )
})

const settings = {
  bind: "127.0.0.1",
  "protected-mode": "yes",
  daemonize: "no",
  // Keeps the configuration path in the process list, which identifies orphans.
  "set-proc-title": "no",
  appendonly: "yes",
  appendfsync: "everysec",
  "aof-load-truncated": "yes",
  save: "",
  "maxmemory-policy": "noeviction",
  "tcp-keepalive": "60",
  loglevel: "notice",
}

export const redisUrl = (password: Redacted.Redacted<string>, port: number) =>
  Redacted.make(`redis://:${Redacted.value(password)}@127.0.0.1:${port}`)

/** Runs an embedded Redis on 127.0.0.1 until the scope closes. */
export const startRedis = Effect.fnUntraced(function* (
  options: RedisOptions,
): Effect.fn.Return<RunningServer, StoreUnavailable, Scope.Scope> {
  const dir = yield* openDirectory(options.dir)
  const { redis: password } = yield* ensureSecrets(dir)
  const program = yield* findRedis
  // Unlike Postgres, Redis can run as root if there is no other user.
  const runner = yield* chooseRunner({ dir: dir.path, dataDir: dir.file("redis"), file: program.path }).pipe(
    Effect.catch(() => Effect.succeed<Runner>({ identity: currentUser, owner: undefined })),
  )
  const dataDir = yield* makeDataDir(dir, runner)
  const configFile = join(dataDir, "redis.conf")
  const endOrphans = stopOrphans(findServers({ program: program.name, argument: configFile }), "SIGTERM")

  const prepare = Effect.fnUntraced(function* (port: number) {
    yield* endOrphans
    const own = { port: String(port), dir: dataDir, requirepass: Redacted.value(password) }
    yield* Effect.try({
      try: () => writeConfig(configFile, runner, { ...settings, ...options.config, ...own }),
      catch: fromFileError("redis", configFile),
    })
    return [program.path, configFile]
  })

  const plan: ServerPlan = {
    store: "redis",
    dataDir,
    identity: runner.identity,
    stopSignal: "TERM",
    logFile: dir.file("logs", "redis.log"),
    lockFile: dir.file("redis.lock"),
    staleFile: "",
    url: (port) => redisUrl(password, port),
    prepare,
    isReady: (port) => respondsToPing(port, password),
    repair: (log) => quarantineData(dataDir, log),
  }
  // First, because an orphan that is still exiting holds the preferred port.
  yield* endOrphans
  return yield* runServer(plan, options)
})
