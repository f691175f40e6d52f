import { createServer } from "node:net"
import { Effect } from "effect"

const lowest = 15_000
const highest = 32_000

/** Whether a server could listen on this port now. */
export const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const probe = createServer()
    probe.once("error", () => resume(Effect.succeed(false)))
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resume(Effect.succeed(true))))
  })

/**
 * Below the ephemeral port range: a client that keeps reconnecting to a stopped server in that range is eventually assigned
 * the same port for its own end, connects to itself and blocks the restart.
 */
export const freePort = Effect.gen(function* () {
  while (true) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (yield* isFree(port)) return port
  }
})
