import * as Setting from "./Setting.ts"

/** Roles of a process. `all` runs every role in one process, with the simulated venue as a child process. */
export const roleNames = ["api", "gateway", "worker", "scheduler", "simulator", "all"] as const

export const role = Setting.someOf("role", roleNames, {
  default: ["all"],
  doc: "Roles of this process, separated by commas",
})
export const presageDir = Setting.text("presage.dir", {
  default: ".presage",
  doc: "Directory of the embedded stores and their secrets; each directory is a separate instance",
})
export const databaseUrl = Setting.secretUrl("database.url", {
  protocols: ["postgres", "postgresql"],
  doc: "URL of a Postgres 15 to 18 to use instead of the embedded one",
})
export const redisUrl = Setting.secretUrl("redis.url", {
  protocols: ["redis", "rediss"],
  doc: "URL of a Redis 7 or 8 to use instead of the embedded one (persistent, noeviction)",
})
export const redisPrefix = Setting.text("redis.prefix", {
  default: "presage",
  pattern: /^[a-z0-9_-]{1,32}$/,
  wants: "1 to 32 characters out of a-z, 0-9, - and _",
  doc: "Prefix of every Redis key; instances that share a Redis need different ones",
})
export const host = Setting.text("host", { default: "0.0.0.0", doc: "Address the REST API and the gateway listen on" })
export const port = Setting.port("port", { default: 8080, doc: "Port of the REST API; 0 picks a free one" })
export const wsPort = Setting.port("ws.port", {
  default: 8081,
  doc: "Port of the WebSocket gateway; 0 picks a free one",
})
export const opsHost = Setting.text("ops.host", {
  default: "127.0.0.1",
  doc: "Address that OPS_PORT is opened on; anyone who reaches it can read /healthz and /readyz, and /metrics with the token",
})
export const opsPort = Setting.port("ops.port", {
  default: 0,
  doc: "Port for /healthz, /readyz and /metrics in a process without the api role; 0 picks a free one",
})
export const logLevel = Setting.oneOf("log.level", ["debug", "info", "warn", "error", "none"], {
  default: "info",
  live: true,
  doc: "Minimum level of log lines",
})
export const logFormat = Setting.oneOf("log.format", ["auto", "pretty", "json"], {
  default: "auto",
  doc: "Log format; auto is pretty on a terminal and json otherwise",
})
export const shutdownGrace = Setting.duration("shutdown.grace", {
  default: "10 seconds",
  min: "0 millis",
  max: "10 minutes",
  live: true,
  doc: "Time that requests and jobs in progress have to finish after SIGTERM",
})
export const otelEndpoint = Setting.optionalUrl("otel.exporter.otlp.endpoint", {
  doc: "URL of an OTLP/HTTP collector for traces, metrics and logs; unset, nothing is sent",
})
export const otelSampleRatio = Setting.ratio("otel.sample-ratio", {
  default: 0.1,
  live: true,
  doc: "Fraction of requests and jobs that are traced when a collector is set",
})
export const httpBodyLimit = Setting.int("http.body-limit", {
  default: 1_048_576,
  min: 1024,
  max: 104_857_600,
  doc: "Maximum size of a request body in bytes; larger bodies are refused with 413",
})
export const metricsToken = Setting.secretText("metrics.token", {
  doc: "Bearer token required to read /metrics; unset, only this machine can read it",
})
export const consoleToken = Setting.secretText("console.token", {
  doc: "Bearer token that opens /console and /ops/v1 from other machines; unset, only this machine can use them",
})
export const httpTrustedProxies = Setting.networks("http.trusted-proxies", {
  default: [],
  doc: "Proxies in front of this service; X-Forwarded-For is trusted only from these",
})
export const httpAllowedHosts = Setting.hostNames("http.allowed-hosts", {
  default: [],
  doc: "Names besides localhost under which programs on this machine create free keys, read /metrics, use /console and control the simulated venue",
})
export const httpPublicUrl = Setting.optionalUrl("http.public-url", {
  doc: "Public URL of the REST API in /openapi.json and /docs, e.g. https://api.example.com; by default the requested host",
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
  doc: "Connections for short point reads, pipelined, per process; as many again for those that are planned once, and for longer reads that are",
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
  doc: "Maximum time a transaction waits for a free connection before it is refused",
})
export const postgresStatementTimeout = Setting.duration("postgres.statement-timeout", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 hour",
  doc: "Statement timeout outside exports",
})
export const postgresLockTimeout = Setting.duration("postgres.lock-timeout", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  doc: "Maximum wait for a lock, including the lock of the event log",
})
export const postgresExportTimeout = Setting.duration("postgres.export-timeout", {
  default: "5 minutes",
  min: "1 second",
  max: "1 hour",
  doc: "Statement timeout of exports",
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
  opsHost,
  opsPort,
  logLevel,
  logFormat,
  shutdownGrace,
  otelEndpoint,
  otelSampleRatio,
  httpBodyLimit,
  metricsToken,
  consoleToken,
  httpTrustedProxies,
  httpAllowedHosts,
  httpPublicUrl,
  postgresPool,
  postgresReadPool,
  postgresExportPool,
  postgresAdmission,
  postgresStatementTimeout,
  postgresLockTimeout,
  postgresExportTimeout,
]
