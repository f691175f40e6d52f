import { createServer } from "node:net"
import { Effect, Schema } from "effect"
import { exitCodes } from "../process/exitCodes.ts"

export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  port: Schema.Number,
  /** The environment variable that sets the port. */
  variable: Schema.String,
}) {
  readonly exitCode = exitCodes.portTaken
  override get message() {
    return `port ${this.port} is taken by another program: stop it, or choose another port with ${this.variable} (0 picks a free one)`
  }
}

/** Listening failed, for example because the address does not belong to this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Number,
  variable: Schema.String,
  hostVariable: Schema.String,
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.portTaken
  override get message() {
    return `cannot listen on ${this.host}:${this.port} (${this.hostVariable} and ${this.variable}): ${this.reason}`
  }
}

/** Listens for a moment, and fails if that is not possible. */
export const canListen = (host: string, port: number, variable: string, hostVariable?: string) =>
  Effect.callback<void, PortTaken | CannotListen>((resume) => {
    const probe = createServer()
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(listenError(error, host, port, variable, hostVariable))),
    )
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resume(Effect.void)))
  })

/** For servers that report no reason: tries to listen again with Node, which does. */
export const diagnoseListenFailure = (host: string, port: number, variable: string) =>
  canListen(host, port, variable).pipe(
    // Free by now, but it was taken a moment ago.
    Effect.andThen(Effect.fail(new PortTaken({ port, variable }))),
    Effect.flip,
  )

export const listenError = (
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  variable: string,
  hostVariable = "HOST",
) =>
  error.code === "EADDRINUSE"
    ? new PortTaken({ port, variable })
    : new CannotListen({ host, port, variable, hostVariable, reason: error.code ?? error.message })
