import * as Setting from "./Setting.ts"

/** What a process does. `all` is every role in one process, with the simulated venue as a child. */
export const roleNames = ["api", "gateway", "worker", "scheduler", "simulator", "all"] as const

export const role = Setting.someOf("role", roleNames, {
  default: ["all"],
  doc: "What this process does; several roles may share it",
})
export const presageDir = Setting.text("presage.dir", {
  default: ".presage",
  doc: "Where the embedded stores and their secrets live; one directory is one instance",
})
export const databaseUrl = Setting.secretUrl("database.url", {
  protocols: ["postgres", "postgresql"],
  doc: "Postgres 15 to 18 to use instead of the embedded one",
})
export const redisUrl = Setting.secretUrl("redis.url", {
  protocols: ["redis", "rediss"],
  doc: "Redis 7 or 8 to use instead of the embedded one (persistent, noeviction)",
})
export const redisPrefix = Setting.text("redis.prefix", {
  default: "presage",
  pattern: /^[a-z0-9_-]{1,32}$/,
  wants: "1 to 32 of a-z, 0-9, - and _",
  doc: "Start of every Redis key, so that instances can share a server",
})
export const host = Setting.text("host", { default: "0.0.0.0", doc: "Address that the servers listen on" })
export const port = Setting.port("port", { default: 8080, doc: "Port of the REST API; 0 takes a free one" })
export const wsPort = Setting.port("ws.port", {
  default: 8081,
  doc: "Port of the WebSocket gateway; 0 takes a free one",
})
export const opsPort = Setting.port("ops.port", {
  default: 0,
  doc: "Port for /healthz, /readyz and /metrics in a process without the api role; 0 takes a free one",
})
export const logLevel = Setting.oneOf("log.level", ["debug", "info", "warn", "error", "none"], {
  default: "info",
  live: true,
  doc: "Least severe log line that is written",
})
export const logFormat = Setting.oneOf("log.format", ["auto", "pretty", "json"], {
  default: "auto",
  doc: "Log lines for people or for machines; auto is pretty on a terminal",
})
export const shutdownGrace = Setting.duration("shutdown.grace", {
  default: "10 seconds",
  min: "0 millis",
  max: "10 minutes",
  live: true,
  doc: "How long requests and jobs in flight may take to finish after SIGTERM",
})
export const otelEndpoint = Setting.optionalUrl("otel.exporter.otlp.endpoint", {
  doc: "OTLP/HTTP collector for traces, metrics and logs; unset sends none",
})
export const otelSampleRatio = Setting.ratio("otel.sample-ratio", {
  default: 0.1,
  live: true,
  doc: "Share of requests and jobs that are traced when a collector is set",
})
export const httpBodyLimit = Setting.int("http.body-limit", {
  default: 1_048_576,
  min: 1024,
  max: 104_857_600,
  doc: "Largest request body in bytes; a larger one is refused with 413",
})
export const metricsToken = Setting.secretText("metrics.token", {
  doc: "What has to be sent as a bearer token to read /metrics; unset, only this machine may",
})
export const httpTrustedProxies = Setting.networks("http.trusted-proxies", {
  default: [],
  doc: "Proxies in front of this service: only they are believed about whom they ask for (X-Forwarded-For)",
})
export const redisCommandTimeout = Setting.duration("redis.command-timeout", {
  default: "1 second",
  min: "100 millis",
  max: "1 minute",
  doc: "Longest wait for the answer to a single command of Redis",
})
export const postgresPool = Setting.int("postgres.pool", {
  default: 10,
  min: 2,
  max: 200,
  doc: "Connections for transactions and writes, per process",
})
export const postgresReadPool = Setting.int("postgres.read-pool", {
  default: 4,
  min: 1,
  max: 200,
  doc: "Connections for short point reads, pipelined, per process",
})
export const postgresExportPool = Setting.int("postgres.export-pool", {
  default: 8,
  min: 1,
  max: 200,
  doc: "Connections for exports, copy scores and building leaderboards, per process",
})
export const postgresAdmission = Setting.duration("postgres.admission-timeout", {
  default: "2 seconds",
  min: "10 millis",
  max: "1 minute",
  live: true,
  doc: "How long a transaction may wait for a free connection before it is refused",
})
export const postgresStatementTimeout = Setting.duration("postgres.statement-timeout", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 hour",
  doc: "Longest statement outside exports",
})
export const postgresLockTimeout = Setting.duration("postgres.lock-timeout", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  doc: "Longest wait for a lock, the event log's among them",
})
export const postgresExportTimeout = Setting.duration("postgres.export-timeout", {
  default: "5 minutes",
  min: "1 second",
  max: "1 hour",
  doc: "Longest statement of an export",
})

export const platformSettings: ReadonlyArray<Setting.AnySetting> = [
  role,
  presageDir,
  databaseUrl,
  redisUrl,
  redisPrefix,
  redisCommandTimeout,
  host,
  port,
  wsPort,
  opsPort,
  logLevel,
  logFormat,
  shutdownGrace,
  otelEndpoint,
  otelSampleRatio,
  httpBodyLimit,
  metricsToken,
  httpTrustedProxies,
  postgresPool,
  postgresReadPool,
  postgresExportPool,
  postgresAdmission,
  postgresStatementTimeout,
  postgresLockTimeout,
  postgresExportTimeout,
]
