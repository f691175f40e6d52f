import type { Redacted } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Incoming } from "../server/Exchange.ts"

/**
 * The API keys that came as `?key=`. The edge takes them out of the address before anything can log or
 * trace them, so this is the only way to them.
 */
export const queryKeys = (request: HttpServerRequest): ReadonlyArray<Redacted.Redacted> =>
  request.source instanceof Incoming ? request.source.queryKeys : []
