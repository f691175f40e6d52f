import type { CloseReason } from "#src/streams/protocol/closeCodes.ts"

/** Why a connection ended: by the gateway, or in one of the ways that only the server notices. */
export type EndReason = CloseReason | "client" | "lost" | "unresponsive" | "invalidFrame" | "dropped"

/** uWebSockets describes its own closes only by these texts. */
const reasons: Readonly<Record<string, EndReason>> = {
  "WebSocket timed out from inactivity": "unresponsive",
  "Received TCP FIN before WebSocket close frame": "lost",
  "Received invalid WebSocket frame": "invalidFrame",
  "Received invalid UTF-8": "invalidFrame",
  "Received invalid close payload": "invalidFrame",
  "Received too big message": "tooBig",
  "Received too big message, or other inflation error": "tooBig",
}

const abnormal = 1006

/** Reason of an end that the gateway did not cause. `dropped`: the network, or the server without saying why. */
export const endReason = (code: number, text: string): EndReason =>
  code === abnormal ? (reasons[text] ?? "dropped") : "client"
