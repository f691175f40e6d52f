/** Why no attempt was made, for the owner of a webhook. */
export const whyUnsent = {
  held: "The webhook was not active: resume it and replay.",
  over_cap: "The plan's deliveries of the day were used up: replay it on another day.",
} as const
