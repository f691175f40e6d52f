import * as Setting from "#src/platform/config/Setting.ts"

export const dropAfter = Setting.duration("settlements.drop-after", {
  default: "2 minutes",
  min: "5 seconds",
  max: "1 day",
  live: true,
  doc: "How long, in the chain's own time, a match seen in the mempool may stay out of a block before it counts as dropped",
})

export const settlementsSettings: ReadonlyArray<Setting.AnySetting> = [dropAfter]
