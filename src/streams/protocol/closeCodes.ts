/** Close codes of the gateway. Clients handle all but a few of them alike. */
export const closeCodes = {
  shutdown: { code: 1001, meaning: "The gateway is shutting down; reconnect after retry_after_ms." },
  tooBig: { code: 1009, meaning: "The message exceeds ws.max-message; split the request into several." },
  overloaded: {
    code: 1013,
    meaning: "The gateway has too many clients or keeps too much for them; reconnect after retry_after_ms.",
  },
  sessionOver: { code: 4001, meaning: "The daily time of the free plan is used up; it resets at midnight UTC." },
  keyRevoked: { code: 4003, meaning: "The key was revoked or its account is no longer active." },
  idle: { code: 4004, meaning: "The client had no subscription and sent no message for too long." },
  slow: { code: 4008, meaning: "The client read too slowly; reconnect and resume." },
  flood: {
    code: 4029,
    meaning: "The client sent too many messages or opened too many connections; reconnect after retry_after_ms.",
  },
  internal: { code: 4500, meaning: "Internal error; reconnect and resume." },
} as const

export type CloseReason = keyof typeof closeCodes
