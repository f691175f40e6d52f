import { readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import { Effect, Layer } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { errorResponse } from "../server/errors.ts"
import { gatewayAddress } from "../server/gatewayAddress.ts"
import { fileAnswer, sendFile } from "./sendFile.ts"

const dist = new URL("../../web/dist/", import.meta.url)

/** Pages route further in the browser, so that every path below theirs is the same document. */
const pages = ["dashboard", "explore", "console", "docs"]

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** The pages work offline: a browser may only contact this service and its gateway. Pico's icons are data in its CSS. */
const policyFor = (gateway: URL): string => {
  // A policy cannot contain an IPv6 address.
  const sockets = gateway.hostname.startsWith("[") ? "ws: wss:" : `ws://${gateway.host} wss://${gateway.host}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${sockets}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")

/** Agents ask for documents by name: the page would hide that there is none. */
const isDocument = (url: string) => /^\/docs\/[^?]*\.md(\?|$)/.test(url)
const noDocument = errorResponse(404, { error: "There is no such document.", hint: "GET /llms.txt lists them." })

const page = (name: string) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const address = yield* gatewayAddress
      const html = readFileSync(new URL(`${name}/index.html`, dist), "utf8")
      const answer = Effect.map(address, (gateway) =>
        HttpServerResponse.text(html.replace("{{gateway}}", escaped(gateway.href)), {
          contentType: "text/html; charset=utf-8",
          headers: {
            "cache-control": "no-cache",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "content-security-policy": policyFor(gateway),
          },
        }),
      )
      // Also matches the path without a slash.
      yield* router.add(
        "GET",
        `/${name}/*`,
        Effect.flatMap(HttpServerRequest, ({ url }) => (isDocument(url) ? Effect.succeed(noDocument) : answer)),
      )
    }),
  )

/** Their names contain a hash of their content, so browsers may keep them for good. */
const asset = (name: string) => {
  const file = fileAnswer(readFileSync(new URL(`assets/${name}`, dist)))
  const contentType = contentTypes[extname(name)] ?? "application/octet-stream"
  return HttpRouter.add(
    "GET",
    `/assets/${name}`,
    Effect.flatMap(HttpServerRequest, (request) =>
      sendFile(request, file, contentType, "public, max-age=31536000, immutable"),
    ),
  )
}

/** The address before the page became part of the explorer. */
const livePage = HttpRouter.add("GET", "/live", HttpServerResponse.redirect("/explore/live"))

/** The web app, as `npm run build:web` built it. */
export const webApp = Layer.suspend(() =>
  Layer.mergeAll(livePage, ...pages.map(page), ...readdirSync(new URL("assets", dist)).map(asset)),
)
