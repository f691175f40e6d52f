import * as Setting from "#src/platform/config/Setting.ts"

export const wsBuffer = Setting.int("ws.buffer", {
  default: 262_144,
  min: 4_096,
  max: 67_108_864,
  live: true,
  doc: "Bytes that may wait for a slow reader before the streams pass it by until it has read",
})

export const wsRing = Setting.int("ws.ring", {
  default: 10_000,
  min: 100,
  max: 1_000_000,
  doc: "Newest events that a gateway keeps in memory for replay; older ones are read from the log",
})

export const wsLagPatience = Setting.duration("ws.lag-patience", {
  default: "20 seconds",
  min: "1 second",
  max: "10 minutes",
  live: true,
  doc: "How long a reader may be too slow before it is cut off",
})

export const wsMaxMessage = Setting.int("ws.max-message", {
  default: 2_097_152,
  min: 1_024,
  max: 67_108_864,
  doc: "Bytes of the longest message that a client may send; a filter of 10,000 items takes about 800,000",
})

export const wsIdleTimeout = Setting.int("ws.idle-timeout", {
  default: 32,
  min: 8,
  max: 960,
  doc: "Seconds after which a peer that answers no ping is taken for dead",
})

export const wsFirehoses = Setting.text("ws.firehoses", {
  default: "0,1,5,unlimited",
  pattern: /^(\d{1,6}|unlimited)(,(\d{1,6}|unlimited)){3}$/,
  wants: "four numbers, or unlimited, for the plans free, starter, growth and enterprise",
  doc: "Unfiltered subscriptions that an account may have at a time, by plan",
})

export const wsAcceptRate = Setting.int("ws.accept-rate", {
  default: 2000,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Connections a second that a gateway accepts, and as many at once; others are told when to come again",
})

export const wsMessageRate = Setting.int("ws.message-rate", {
  default: 20,
  min: 1,
  max: 100_000,
  live: true,
  doc: "Messages a second that a connection may send; more are refused, and if there is no end to it the connection is cut",
})

export const wsMessageBurst = Setting.int("ws.message-burst", {
  default: 200,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Messages that a connection may send at once",
})

export const wsLease = Setting.duration("ws.lease", {
  default: "24 seconds",
  min: "1 second",
  max: "30 seconds",
  doc: "How long the connections of a gateway that was killed still count; the same in every gateway",
})

const staleBound = (name: string, what: string, bound: `${number} seconds`) =>
  Setting.duration(`ws.stale-${name}`, {
    default: bound,
    // Everything is looked at every two seconds.
    min: "3 seconds",
    max: "1 hour",
    live: true,
    doc: `Age from which subscribers are told that ${what} stale`,
  })

/** By the names of sources in the status; both sources of ticks have one. */
export const staleBounds = {
  chain: staleBound("chain", "the chain is", "30 seconds"),
  mempool: staleBound("mempool", "settlements before their block are", "60 seconds"),
  ticks: staleBound("ticks", "prices of the oracle are", "10 seconds"),
  books: staleBound("books", "order books are", "15 seconds"),
  event_log: staleBound("event-log", "the event log is", "15 seconds"),
  others: staleBound("others", "what is known about any other source is", "30 seconds"),
}

export const wsPublicUrl = Setting.optionalUrl("ws.public-url", {
  protocols: ["ws", "wss"],
  doc: "Where clients reach the gateway, such as wss://stream.example.com/ws; unset, the host they ask and WS_PORT",
})

export const streamsSettings: ReadonlyArray<Setting.AnySetting> = [
  wsBuffer,
  wsRing,
  wsLagPatience,
  wsMaxMessage,
  wsIdleTimeout,
  wsFirehoses,
  wsAcceptRate,
  wsMessageRate,
  wsMessageBurst,
  wsLease,
  ...Object.values(staleBounds),
  wsPublicUrl,
]
