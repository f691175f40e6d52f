import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import { Duration, Effect } from "effect"
import type { Edge } from "./Exchange.ts"

/**
 * How long an idle kept-alive connection stays open when the server goes away. A client may have sent
 * its next request just before: closing at once would reset it, so it gets the time of a round trip.
 */
const idleLinger = Duration.millis(500)

/** After the callbacks of sockets that are already readable, so that a request that has arrived is seen. */
const afterPendingReads = Effect.callback<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

/**
 * Stops accepting; resolves when the last connection is gone. Node's own `close` would cut idle ones at once.
 * Only then do answers end their connections: clients told so before would come back into a closing door.
 */
const stopAccepting = (server: Server, edge: Edge) =>
  Effect.callback<void>((resume) => {
    NetServer.prototype.close.call(server, () => resume(Effect.void))
    edge.draining = true
  })

/**
 * Lets requests in flight finish, each answer ending its connection, and cuts what is left when the grace
 * is over.
 */
export const drain = (server: Server, edge: Edge, grace: Duration.Duration) =>
  Effect.gen(function* () {
    yield* afterPendingReads
    const closeIdle = Effect.sleep(Duration.min(idleLinger, grace)).pipe(
      Effect.andThen(afterPendingReads),
      Effect.andThen(Effect.sync(() => server.closeIdleConnections())),
    )
    yield* stopAccepting(server, edge).pipe(
      Effect.raceFirst(Effect.andThen(closeIdle, Effect.never)),
      Effect.timeoutOrElse({
        duration: grace,
        orElse: () => Effect.logWarning("requests still unanswered after shutdown.grace are cut"),
      }),
      Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
    )
  })
