import * as Setting from "#src/platform/config/Setting.ts"

export const postsPerMonth = Setting.int("social.posts-per-month", {
  default: 100_000,
  min: 0,
  max: 1_000_000_000,
  live: true,
  doc: "Posts that may be read from X in a UTC month, because X bills them; beyond it social endpoints answer 503",
})

export const socialReach = Setting.oneOf("social.reach", ["recent", "all"], {
  default: "recent",
  doc: "Posts that X is searched for: those of the last 7 days, or all, which the token's plan has to allow",
})

export const socialSettings: ReadonlyArray<Setting.AnySetting> = [postsPerMonth, socialReach]
