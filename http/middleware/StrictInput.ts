import * as HttpApiMiddleware from "effect/unstable/httpapi/HttpApiMiddleware"
import { BadInput } from "../errors.ts"

/**
 * Refuses what the contract does not name: unknown query parameters, bodies of another content type.
 * `HttpApi.middleware(StrictInput)` in `Api.ts` gives it to every endpoint.
 */
export class StrictInput extends HttpApiMiddleware.Service<StrictInput>()("presage/http/StrictInput", {
  error: BadInput,
}) {}
