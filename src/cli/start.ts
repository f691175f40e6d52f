import { Effect, Option } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { port, role, wsPort } from "#src/platform/settings.ts"
import { launch } from "#src/roles/Launch.ts"
import { configured, set } from "./configured.ts"

const short = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

export const start = Command.make(
  "start",
  {
    role: short("role", "What this process does: api, gateway, worker, scheduler, simulator, all; several with commas"),
    port: short("port", "Port of the REST API"),
    wsPort: short("ws-port", "Port of the WebSocket gateway"),
    set,
  },
  (flags) => {
    const given = { [role.name]: flags.role, [port.name]: flags.port, [wsPort.name]: flags.wsPort }
    const shorts = Object.entries(given).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value] as const] : [],
    )
    return Effect.provide(launch, configured({ ...flags.set, ...Object.fromEntries(shorts) }))
  },
).pipe(Command.withDescription("Start Presage and serve until stopped"))
