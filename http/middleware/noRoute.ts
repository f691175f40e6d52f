import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { errorResponse } from "../errors.ts"
import type { RouteTable } from "../server/RouteTable.ts"

// Only reads are opened to other origins: a web page must not be able to change things on its visitor's machine.
const preflight = {
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "86400",
}

const pathOf = (url: string) => url.split("?", 1)[0] ?? url

/** The answer to a request that no route takes: a preflight, a wrong method or an unknown path. */
export const noRoute = (request: HttpServerRequest, routes: RouteTable["Service"]) => {
  const methods = routes.methods(request.url)
  const allow = [...methods, "OPTIONS"].join(", ")
  if (request.method === "OPTIONS") {
    return HttpServerResponse.empty({
      status: 204,
      headers: { ...preflight, ...(methods.length > 0 ? { allow } : {}) },
    })
  }
  const path = pathOf(request.url).slice(0, 200)
  if (methods.length > 0) {
    const error = `${request.method} is not allowed on ${path}; use ${methods.join(" or ")}.`
    return errorResponse(405, { error, allow: methods }, { allow })
  }
  const near = routes.closest(pathOf(request.url))
  const hint = `${near === undefined ? "" : `Did you mean ${near}? `}See /docs or /openapi.json for what there is.`
  return errorResponse(404, { error: "Not found.", path, ...(path.startsWith("/v3/") || near ? { hint } : {}) })
}
