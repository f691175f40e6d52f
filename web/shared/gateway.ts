import type { Socket } from "./stream/connection.ts"

/** The address of the WebSocket gateway, as the service wrote it into the page. A page over TLS opens no other socket. */
export const gatewayUrl = (): string => {
  const given = document.querySelector<HTMLMetaElement>('meta[name="presage-gateway"]')?.content ?? ""
  return location.protocol === "https:" ? given.replace(/^ws:/, "wss:") : given
}

/** Opens a socket to the gateway. The key goes into a header, because addresses end up in logs. */
export const openSocket = (key: string): Socket =>
  new WebSocket(gatewayUrl(), ["presage", `presage-key.${key}`]) as Socket
