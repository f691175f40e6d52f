import * as Setting from "#src/platform/Setting.ts"

export const pollEvery = Setting.duration("upstream.rpc.poll-every", {
  default: "1 second",
  min: "50 millis",
  max: "1 minute",
  live: true,
  doc: "How often the node is asked for its newest block while no socket tells of it",
})

export const headsSilentAfter = Setting.duration("upstream.rpc.heads-silent-after", {
  default: "5 seconds",
  min: "100 millis",
  max: "5 minutes",
  doc: "Longest time without a new block after which the node's socket is given up and opened again",
})

export const pendingSilentAfter = Setting.duration("upstream.rpc.pending-silent-after", {
  default: "30 seconds",
  min: "100 millis",
  max: "5 minutes",
  doc: "Longest time without a pending transaction after which the node's socket is given up and opened again",
})

export const chainSettings: ReadonlyArray<Setting.AnySetting> = [pollEvery, headsSilentAfter, pendingSilentAfter]
