import * as Setting from "#src/platform/config/Setting.ts"

export const pollEvery = Setting.duration("upstream.rpc.poll-every", {
  default: "1 second",
  min: "50 millis",
  max: "1 minute",
  live: true,
  doc: "How often the node is polled for its newest block while no socket reports it",
})

export const headsSilentAfter = Setting.duration("upstream.rpc.heads-silent-after", {
  default: "5 seconds",
  min: "100 millis",
  max: "5 minutes",
  doc: "Time without a new block after which the node's socket is reopened",
})

export const pendingSilentAfter = Setting.duration("upstream.rpc.pending-silent-after", {
  default: "30 seconds",
  min: "100 millis",
  max: "5 minutes",
  doc: "Time without a pending transaction after which the node's socket is reopened",
})

export const stalledAfter = Setting.duration("upstream.rpc.stalled-after", {
  default: "1 minute",
  min: "100 millis",
  max: "1 day",
  live: true,
  doc: "Time without a new block after which the node is reported as lagging",
})

export const maxAhead = Setting.duration("upstream.rpc.most-ahead", {
  default: "5 minutes",
  min: "1 second",
  max: "3650 days",
  live: true,
  doc: "How far a block of a real node may be ahead of this machine's clock before it is refused",
})

export const patience = Setting.duration("upstream.rpc.patience", {
  default: "1 minute",
  min: "100 millis",
  max: "1 hour",
  live: true,
  doc: "How long a node that limits requests or lacks the newest blocks is asked again before a request fails",
})

export const chainSettings: ReadonlyArray<Setting.AnySetting> = [
  pollEvery,
  headsSilentAfter,
  pendingSilentAfter,
  stalledAfter,
  maxAhead,
  patience,
]
