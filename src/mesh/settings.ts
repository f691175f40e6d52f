import * as Setting from "#src/platform/config/Setting.ts"

export const clusterHost = Setting.text("cluster.host", {
  default: "127.0.0.1",
  doc: "Address under which other processes of the cluster reach this one",
})
export const clusterListenHost = Setting.text("cluster.listen-host", {
  default: "",
  pattern: /^.{0,255}$/,
  doc: "Address to listen on for the cluster, where cluster.host is not an address of this machine (NAT, containers)",
})
export const clusterPort = Setting.port("cluster.port", {
  default: 0,
  doc: "Port under which other processes of the cluster reach this one; 0 picks a free one",
})
export const clusterLockExpiry = Setting.duration("cluster.lock-expiry", {
  default: "9 seconds",
  min: "3 seconds",
  max: "5 minutes",
  doc: "How long a process that stopped responding keeps its actors before other processes run them",
})
export const eventLogRetention = Setting.duration("event-log.retention", {
  default: "7 days",
  min: "1 day",
  max: "3650 days",
  live: true,
  doc: "How long the event log keeps events, in whole days",
})
export const eventLogTail = Setting.int("event-log.tail", {
  default: 100_000,
  min: 100,
  max: 10_000_000,
  live: true,
  doc: "Events that Redis keeps for live fan-out and short replay",
})
export const sweepEvery = Setting.duration("sweep.every", {
  default: "5 seconds",
  min: "100 millis",
  max: "10 minutes",
  live: true,
  doc: "How often work that is due in Postgres but missing in Redis is enqueued again",
})

export const meshSettings: ReadonlyArray<Setting.AnySetting> = [
  clusterHost,
  clusterListenHost,
  clusterPort,
  clusterLockExpiry,
  eventLogRetention,
  eventLogTail,
  sweepEvery,
]
