import type { AttemptError } from "../model.ts"
import { whyUnsent } from "./whyUnsent.ts"

/** Why nothing, or nothing usable, came back. */
export class AttemptFailure extends Error {
  readonly failure: AttemptError
  constructor(failure: AttemptError) {
    super(failure)
    this.failure = failure
  }
}

/** For the owner of a webhook. Classes and no details: whoever may choose the address must not learn what is around us. */
export const wordsFor = (failure: AttemptError, statusCode: number | null, deadline: string): string => {
  switch (failure) {
    case "status":
      return `The endpoint answered with status ${statusCode}; only 2xx is a success.`
    case "redirect":
      return `The endpoint answered with a redirect (${statusCode}), which is not followed: give the final url.`
    case "timeout":
      return `The endpoint did not answer within ${deadline}.`
    case "dns":
      return "The name of the endpoint's host could not be looked up."
    case "connect":
      return "No connection to the endpoint came about, or it was cut before an answer."
    case "tls":
      return "The endpoint's certificate is not valid for its name, or TLS could not be agreed on."
    case "protocol":
      return "What the endpoint answered is not HTTP, or its headers are too large."
    case "blocked":
      return "The endpoint's address is not public."
    case "held":
      return whyUnsent.held
    case "over_cap":
      return whyUnsent.over_cap
  }
}

const isMalformed = (error: Error) =>
  error.name === "HTTPParserError" || ("code" in error && /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(String(error.code)))

/** What an error of undici or of a socket means. Ours say it themselves. */
export const failureOf = (error: Error): AttemptError => {
  if (error instanceof AttemptFailure) return error.failure
  // Undici says of an answer that it cannot accept that the socket went bad.
  return isMalformed(error) || error.message === "bad response" ? "protocol" : "connect"
}
