import { createServer } from "node:net"
import { Effect, Schema } from "effect"
import { exitCodes } from "../process/exitCodes.ts"

/** Somebody else listens there. */
export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  port: Schema.Number,
  /** The environment variable that chooses another one. */
  variable: Schema.String,
}) {
  readonly exitCode = exitCodes.portTaken
  override get message() {
    return `port ${this.port} is taken by another program: stop it, or choose another with ${this.variable} (0 takes a free one)`
  }
}

/** The address cannot be listened on, for example because it is not of this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Number,
  variable: Schema.String,
  reason: Schema.String,
}) {
  readonly exitCode = exitCodes.portTaken
  override get message() {
    return `cannot listen on ${this.host}:${this.port} (HOST and ${this.variable}): ${this.reason}`
  }
}

/** For servers that only say "no": tries the address once more in a way that gives the reason. */
export const diagnoseListenFailure = (host: string, port: number, variable: string) =>
  Effect.callback<PortTaken | CannotListen>((resume) => {
    const probe = createServer()
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.succeed(listenError(error, host, port, variable))),
    )
    // It was taken a moment ago and is free now; for whoever asked it was taken.
    probe.listen({ host, port, exclusive: true }, () =>
      probe.close(() => resume(Effect.succeed(new PortTaken({ port, variable })))),
    )
  })

export const listenError = (error: NodeJS.ErrnoException, host: string, port: number, variable: string) =>
  error.code === "EADDRINUSE"
    ? new PortTaken({ port, variable })
    : new CannotListen({ host, port, variable, reason: error.code ?? error.message })
