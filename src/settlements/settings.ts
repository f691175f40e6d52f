import * as Setting from "#src/platform/config/Setting.ts"

export const dropAfter = Setting.duration("settlements.drop-after", {
  default: "2 minutes",
  min: "5 seconds",
  max: "1 day",
  live: true,
  doc: "How long, in chain time, a match seen in the mempool may wait for its block before it is dropped",
})

export const settlementsSettings: ReadonlyArray<Setting.AnySetting> = [dropAfter]
