import type { Redacted } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Incoming } from "../server/Exchange.ts"

/**
 * The API key that came as `?key=`. The edge takes it out of the address before anything can log or
 * trace it, so this is the only way to it.
 */
export const queryKey = (request: HttpServerRequest): Redacted.Redacted | undefined =>
  request.source instanceof Incoming ? request.source.queryKey : undefined
