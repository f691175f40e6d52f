import { Layer } from "effect"
import { gatewayServer } from "#ws/Server.ts"
import { reading } from "./Reading.ts"

/** Serves the WebSocket streams. */
export const gateway = Layer.provideMerge(gatewayServer, reading)
