import type { Server } from "node:http"
import { Server as NetServer } from "node:net"
import { Duration, Effect } from "effect"
import type { Edge } from "./Exchange.ts"

/**
 * How long an idle kept-alive connection stays open during shutdown. A client may have just sent its next request, and
 * closing at once would reset it.
 */
const idleLinger = Duration.seconds(1)

/** Runs after the callbacks of readable sockets, so that a request that has arrived is handled. */
const afterPendingReads = Effect.callback<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

/**
 * Stops accepting; resolves when the last connection has closed. Node's own `close` would cut idle ones at once. Answers
 * close their connections only from here on: clients closed before would reconnect to this server.
 */
const stopAccepting = (server: Server, edge: Edge) =>
  Effect.callback<void>((resume) => {
    NetServer.prototype.close.call(server, () => resume(Effect.void))
    edge.draining = true
  })

/**
 * Lets running requests finish, each answer closing its connection, and cuts the rest when the grace is over.
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
        orElse: () => Effect.logWarning("aborted requests still unanswered after shutdown.grace"),
      }),
      Effect.ensuring(Effect.sync(() => server.closeAllConnections())),
    )
  })
