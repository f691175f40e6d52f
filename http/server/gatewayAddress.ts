import { Effect, Option } from "effect"
import * as HttpServerRequest from "effect/unstable/http/HttpServerRequest"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { wsPort } from "#src/platform/config/settings.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { wsPublicUrl } from "#src/streams/settings.ts"

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** Address of the gateway for a client: the host of its request, unless the operator configured another. */
export const addressFor = (options: {
  readonly publicUrl: string | undefined
  readonly host: string | undefined
  readonly port: number
}): URL => {
  const { publicUrl, host, port } = options
  const given = publicUrl === undefined ? undefined : urlOf(publicUrl)
  if (given !== undefined) return given
  const requested = urlOf(`ws://${host || "localhost"}/ws`) ?? new URL("ws://localhost/ws")
  return new URL(`ws://${requested.hostname}:${port}/ws`)
}

/** Address of the gateway by the host of a request. An automatically chosen port is known only to its own process. */
export const gatewayByHost = Effect.gen(function* () {
  const config = yield* Configuration
  const addresses = yield* Effect.serviceOption(Addresses)
  const bound = () => {
    const here = Option.map(addresses, (known) => new Map(known.list()).get("ws"))
    return Number(new URL(Option.getOrUndefined(here) ?? "ws://localhost:0").port)
  }
  return (host: string | undefined): URL =>
    addressFor({
      publicUrl: Option.getOrUndefined(config.get(wsPublicUrl)),
      host,
      port: config.get(wsPort) || bound(),
    })
})

/** Address of the gateway for the current request. */
export const gatewayAddress = Effect.map(gatewayByHost, (addressOf) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => addressOf(headers["host"])),
)
