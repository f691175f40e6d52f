/** Why a connection ended, as the code of its last frame. What a client should do is the same for all but a few. */
export const closeCodes = {
  shutdown: { code: 1001, meaning: "The gateway is stopping; connect again after retry_after_ms." },
  sessionOver: { code: 4001, meaning: "The day's time of the free plan is used up; it begins anew at midnight UTC." },
  keyRevoked: { code: 4003, meaning: "The key was revoked or its account is no longer active." },
  idle: { code: 4004, meaning: "Nothing was subscribed to, or nothing was heard from the client, for too long." },
  slow: { code: 4008, meaning: "The client read too slowly; connect again and resume." },
  flood: { code: 4029, meaning: "Too many messages; connect again after retry_after_ms." },
  internal: { code: 4500, meaning: "Something went wrong here; connect again and resume." },
} as const

export type CloseReason = keyof typeof closeCodes
