import { gatewayUrl, openSocket } from "../gateway.ts"
import { Failure, send } from "../request.ts"
import { Connection, type ConnectionEvent } from "./connection.ts"
import { refusalReason } from "./refusal.ts"

/** Milliseconds that no change of the computer's clock moves back. */
export const now = () => performance.timeOrigin + performance.now()

/** A connection to the gateway with the key of this tab. It begins with `start`. */
export const makeConnection = (key: string, onEvent: (event: ConnectionEvent) => void): Connection =>
  new Connection(
    {
      open: () => openSocket(key),
      after: (millis, run) => {
        const timer = setTimeout(run, millis)
        return () => clearTimeout(timer)
      },
      now,
      random: Math.random,
      refusalReason: async () => {
        const failure = await send("/v1/status", { headers: { "x-api-key": key } }).then(
          () => undefined,
          (error: unknown) => error,
        )
        return refusalReason(
          failure instanceof Failure ? failure.status : 200,
          failure instanceof Failure ? failure.message : undefined,
          new URL(gatewayUrl()).origin,
        )
      },
    },
    onEvent,
  )
