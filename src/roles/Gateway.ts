import { gatewayServer } from "#ws/Server.ts"

/** Serves the WebSocket streams. */
export const gateway = gatewayServer
