import { createServer, isIPv6 } from "node:net"
import { Effect, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { type Finding, fail, ok } from "./Finding.ts"

/** Why one cannot listen there; undefined when one can. */
const obstacle = (port: number, host: string) =>
  Effect.callback<string | undefined>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.succeed("code" in error ? String(error.code) : error.message)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resume(Effect.succeed(undefined))))
  })

const isAlive = Schema.is(Schema.Struct({ status: Schema.Literal("ok") }))

/** Both of our servers answer /healthz alike; nobody else's taken port is as it should be. */
const isPresage = (port: number, host: string) =>
  Effect.tryPromise(async () => {
    const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : isIPv6(host) ? `[${host}]` : host
    const answer = await fetch(`http://${reached}:${port}/healthz`, { signal: AbortSignal.timeout(1000) })
    return answer.ok && isAlive(await answer.json())
  }).pipe(Effect.orElseSucceed(() => false))

export const portFinding = Effect.fnUntraced(function* (
  setting: Setting<number>,
): Effect.fn.Return<Finding, never, Configuration> {
  const config = yield* Configuration
  const port = config.get(setting)
  const host = config.get(settings.host)
  if (port === 0) return ok(setting.name, "any free one")
  switch (yield* obstacle(port, host)) {
    case undefined:
      return ok(setting.name, `${port} is free`)
    case "EADDRINUSE":
      return (yield* isPresage(port, host))
        ? ok(setting.name, `${port} is in use, by a running Presage`)
        : fail(setting.name, `${port} is taken by another program`, `stop it, or choose another with ${setting.env}`)
    case "EACCES":
      return fail(setting.name, `${port} is not open to this user`, `choose one above 1023 with ${setting.env}`)
    default:
      return fail(
        setting.name,
        `one cannot listen on ${host}`,
        `set ${settings.host.env} to an address of this machine`,
      )
  }
})
