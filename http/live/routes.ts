import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { Effect, Layer, Option } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { wsPublicUrl } from "#src/streams/settings.ts"
import { gatewayAddress } from "../server/gatewayAddress.ts"

const read = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), "utf8")

const modules = ["page", "connection", "liveState", "render", "format"]

/** Suppresses Node's warning about an experimental API, which operators cannot act on. */
const asJavaScript = (source: string): string => {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The page works offline; the browser may only contact this service and its gateway. */
const policyFor = (gateway: URL): string => {
  // A policy cannot contain an IPv6 address.
  const sockets = gateway.hostname.startsWith("[") ? "ws: wss:" : `ws://${gateway.host} wss://${gateway.host}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${sockets}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}

const common = { "cache-control": "no-cache", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }

const file = (path: `/${string}`, body: string, contentType: string) =>
  HttpRouter.add("GET", path, HttpServerResponse.text(body, { contentType, headers: common }))

const page = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const config = yield* Configuration
    const address = yield* gatewayAddress
    const html = read("page.html")
    const answer = Effect.map(address, (gateway) => {
      const isOurs = Option.isNone(config.get(wsPublicUrl))
      const shown = html.replace("{{gateway}}", gateway.href).replace("{{ours}}", isOurs ? "1" : "0")
      return HttpServerResponse.text(shown, {
        contentType: "text/html; charset=utf-8",
        headers: { ...common, "content-security-policy": policyFor(gateway) },
      })
    })
    yield* router.add("GET", "/live", answer)
  }),
)

/** The live page with prices and fills. Its browser modules are served with types stripped. */
export const livePage = Layer.suspend(() =>
  Layer.mergeAll(
    page,
    file("/live/style.css", read("style.css"), "text/css; charset=utf-8"),
    file("/live/icon.svg", read("icon.svg"), "image/svg+xml"),
    ...modules.map((name) =>
      file(`/live/${name}.ts`, asJavaScript(read(`browser/${name}.ts`)), "text/javascript; charset=utf-8"),
    ),
  ),
)
