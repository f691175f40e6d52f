import { Layer } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { streamAccess } from "#src/streams/access/streamAccess.ts"
import { Liveness } from "#src/streams/liveness/Liveness.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { gatewayServer } from "#ws/server/Server.ts"
import { access } from "./Access.ts"
import { reading } from "./Reading.ts"

/** Sources that only streams read: live prices, and the age of all data. */
const live = Liveness.layer.pipe(
  Layer.provideMerge(TickFeed.layer),
  Layer.provide(TickTail.layer),
  Layer.merge(BookCache.layer),
)

/** Serves the WebSocket streams. */
export const gateway = gatewayServer.pipe(
  Layer.provideMerge(Layer.merge(streamAccess, live)),
  Layer.provideMerge(Layer.merge(reading, access)),
)
