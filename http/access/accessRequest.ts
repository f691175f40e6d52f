import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { AccessRequest } from "#src/access/AccessRequest.ts"
import { Incoming } from "../server/Exchange.ts"

/** The part of a request that decides on access. A request that did not come through our server has no address. */
export const accessRequestOf = ({ source, headers }: Pick<HttpServerRequest, "headers" | "source">): AccessRequest =>
  source instanceof Incoming
    ? source
    : { rawHeaders: Object.entries(headers).flat(), queryKeys: [], peer: undefined, startedAt: performance.now() }
