import * as Setting from "#src/platform/config/Setting.ts"

export const wsBuffer = Setting.int("ws.buffer", {
  default: 262_144,
  min: 4_096,
  max: 67_108_864,
  live: true,
  doc: "Bytes buffered for a slow reader before its streams pause until it has caught up",
})

export const wsRing = Setting.int("ws.ring", {
  default: 10_000,
  min: 100,
  max: 1_000_000,
  doc: "Newest events a gateway keeps in memory for replay; older ones are read from the log",
})

export const wsLagPatience = Setting.duration("ws.lag-patience", {
  default: "20 seconds",
  min: "1 second",
  max: "10 minutes",
  live: true,
  doc: "How long a reader may be too slow before it is disconnected",
})

export const wsMaxMessage = Setting.int("ws.max-message", {
  default: 2_097_152,
  min: 1_024,
  max: 67_108_864,
  doc: "Maximum size of a client message in bytes; a filter of 10,000 items takes about 800,000",
})

const mebibyte = 1_048_576

export const wsMemoryConnection = Setting.int("ws.memory-connection", {
  default: 32 * mebibyte,
  min: mebibyte,
  max: 4_096 * mebibyte,
  live: true,
  doc: "Bytes a connection may make a gateway keep: filters, followed books and waiting messages",
})

export const wsMemoryAccount = Setting.int("ws.memory-account", {
  default: 128 * mebibyte,
  min: mebibyte,
  max: 65_536 * mebibyte,
  live: true,
  doc: "Bytes all connections of an account may make a gateway keep",
})

export const wsMemory = Setting.int("ws.memory", {
  default: 512 * mebibyte,
  min: mebibyte,
  max: 65_536 * mebibyte,
  live: true,
  doc: "Bytes all connections may make a gateway keep; also of what they have not read",
})

export const wsIdleTimeout = Setting.int("ws.idle-timeout", {
  default: 32,
  min: 8,
  max: 960,
  doc: "Seconds after which a peer that answers no ping counts as dead",
})

export const wsFirehoses = Setting.text("ws.firehoses", {
  default: "0,1,5,5,unlimited",
  pattern: /^(\d{1,6}|unlimited)(,(\d{1,6}|unlimited)){4}$/,
  wants: "five values, each a number or unlimited, for the plans free, starter, growth, pro and enterprise",
  doc: "Concurrent unfiltered subscriptions per account, by plan",
})

export const wsConnections = Setting.int("ws.connections", {
  default: 50_000,
  min: 1,
  max: 10_000_000,
  live: true,
  doc: "Connections a gateway has at a time; more are closed with 1013",
})

export const wsAcceptRate = Setting.int("ws.accept-rate", {
  default: 2000,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Connections per second a gateway accepts, also the burst size; others get 503 with a time to reconnect",
})

export const wsMessageRate = Setting.int("ws.message-rate", {
  default: 20,
  min: 1,
  max: 100_000,
  live: true,
  doc: "Messages per second a connection may send; more are refused, and persistent excess closes the connection",
})

export const wsMessageBurst = Setting.int("ws.message-burst", {
  default: 200,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Messages a connection may send in a burst",
})

export const wsLease = Setting.duration("ws.lease", {
  default: "24 seconds",
  min: "1 second",
  max: "30 seconds",
  doc: "How long the connections of a killed gateway still count; must be equal in every gateway",
})

const staleBound = (name: string, what: string, bound: `${number} seconds`) =>
  Setting.duration(`ws.stale-${name}`, {
    default: bound,
    // The status is read every two seconds.
    min: "3 seconds",
    max: "1 hour",
    live: true,
    doc: `Age at which subscribers are notified that ${what} stale`,
  })

/** Keyed by source name as in the status; both tick sources share one bound. */
export const staleBounds = {
  chain: staleBound("chain", "the chain is", "30 seconds"),
  mempool: staleBound("mempool", "pending settlements are", "60 seconds"),
  ticks: staleBound("ticks", "oracle prices are", "10 seconds"),
  books: staleBound("books", "order books are", "15 seconds"),
  event_log: staleBound("event-log", "the event log is", "15 seconds"),
  others: staleBound("others", "any other source is", "30 seconds"),
}

export const wsPublicUrl = Setting.optionalUrl("ws.public-url", {
  protocols: ["ws", "wss"],
  doc: "Public URL of the gateway, e.g. wss://stream.example.com/ws; by default the requested host with WS_PORT",
})

export const streamsSettings: ReadonlyArray<Setting.AnySetting> = [
  wsBuffer,
  wsRing,
  wsLagPatience,
  wsMaxMessage,
  wsMemoryConnection,
  wsMemoryAccount,
  wsMemory,
  wsIdleTimeout,
  wsFirehoses,
  wsConnections,
  wsAcceptRate,
  wsMessageRate,
  wsMessageBurst,
  wsLease,
  ...Object.values(staleBounds),
  wsPublicUrl,
]
