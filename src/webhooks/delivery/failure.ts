import type { AttemptError } from "../model.ts"

/** Why no attempt was made, as shown to the webhook's owner. */
export const unsentReasons = {
  held: "The webhook was not active: resume it and replay.",
  over_cap: "The plan's deliveries of the day were used up: replay it on another day.",
} as const

/** Why an attempt failed. */
export class AttemptFailure extends Error {
  readonly failure: AttemptError
  constructor(failure: AttemptError) {
    super(failure)
    this.failure = failure
  }
}

/**
 * Shown to the webhook's owner. Without details, because the owner chooses the address and must not learn about our
 * network.
 */
export const describeFailure = (failure: AttemptError, statusCode: number | null, deadline: string): string => {
  switch (failure) {
    case "status":
      return `The endpoint answered with status ${statusCode}; only 2xx is a success.`
    case "redirect":
      return `The endpoint answered with a redirect (${statusCode}), which is not followed: use the final url.`
    case "timeout":
      return `The endpoint did not answer within ${deadline}.`
    case "dns":
      return "The name of the endpoint's host could not be resolved."
    case "connect":
      return "The connection to the endpoint failed, or was closed before a response."
    case "tls":
      return "The endpoint's certificate is not valid for its name, or the TLS handshake failed."
    case "protocol":
      return "The endpoint's response is not valid HTTP, or its headers are too large."
    case "blocked":
      return "The endpoint's address is not public."
    case "held":
      return unsentReasons.held
    case "over_cap":
      return unsentReasons.over_cap
  }
}

const isMalformed = (error: Error) =>
  error.name === "HTTPParserError" || ("code" in error && /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(String(error.code)))

/** Classifies an error of undici or of a socket. */
export const failureOf = (error: Error): AttemptError => {
  if (error instanceof AttemptFailure) return error.failure
  // Undici reports a response that it cannot parse as a bad socket.
  return isMalformed(error) || error.message === "bad response" ? "protocol" : "connect"
}
