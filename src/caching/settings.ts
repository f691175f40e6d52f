import * as Setting from "#src/platform/config/Setting.ts"

export const cachingMemory = Setting.int("caching.memory", {
  default: 67_108_864,
  min: 0,
  max: 68_719_476_736,
  doc: "Bytes of answers that a process caches in memory, including compressed variants; the least recently used are evicted first",
})
export const cachingShared = Setting.oneOf("caching.shared", ["on", "off"], {
  default: "on",
  doc: "Whether processes share their cached answers over Redis, so that each is loaded once for all of them",
})

export const cachingSettings: ReadonlyArray<Setting.AnySetting> = [cachingMemory, cachingShared]
