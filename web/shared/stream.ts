import { Connection, type ConnectionEvent, type Socket } from "../../http/live/browser/connection.ts"
import { gatewayUrl } from "./gateway.ts"
import { key } from "./key.ts"
import { Failure, request } from "./request.ts"

/** Browsers do not report why a connection was refused, but REST refuses the same key with the same words. */
const refusalReason = async () => {
  try {
    await request("/v1/keys")
    return { text: "The gateway does not answer, or has no more connections for this account.", final: false }
  } catch (error) {
    return error instanceof Failure
      ? { text: error.message, final: error.isKeyRefused }
      : { text: String(error), final: false }
  }
}

/** A connection to the gateway with the key of this tab, which is offered as a protocol: it must not be in a URL. */
export const openStream = (onEvent: (event: ConnectionEvent) => void): Connection =>
  new Connection(
    {
      open: () => new WebSocket(gatewayUrl(), ["presage", `presage-key.${key.value}`]) as Socket,
      after: (millis, run) => {
        const timer = setTimeout(run, millis)
        return () => clearTimeout(timer)
      },
      now: () => performance.now(),
      random: Math.random,
      refusalReason,
    },
    onEvent,
  )
