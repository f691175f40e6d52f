import { Effect, Option } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { port, role, wsPort } from "#src/platform/config/settings.ts"
import { configured, set } from "./configured.ts"

/** Loaded when it is wanted: the other commands need little of it, and it takes longer to load than they run. */
const launch = Effect.flatMap(
  Effect.promise(() => import("#src/roles/Launch.ts")),
  (roles) => roles.launch,
)

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
