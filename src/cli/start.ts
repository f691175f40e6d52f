import { Effect, Option } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { port, role, wsPort } from "#src/platform/config/settings.ts"
import { configured, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"

/** Loaded on demand: it takes longer to load than other commands take to run. */
const launch = Effect.flatMap(
  Effect.promise(() => import("#src/roles/Launch.ts")),
  (roles) => roles.launch,
)

const shortcut = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

export const start = Command.make(
  "start",
  {
    role: shortcut(
      "role",
      "Roles of this process, separated by commas: api, gateway, worker, scheduler, simulator, all",
    ),
    port: shortcut("port", "Port of the REST API"),
    wsPort: shortcut("ws-port", "Port of the WebSocket gateway"),
    set,
  },
  (flags) => {
    const given = { [role.name]: flags.role, [port.name]: flags.port, [wsPort.name]: flags.wsPort }
    const settings = Object.entries(given).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value] as const] : [],
    )
    return Effect.provide(launch, configured({ ...flags.set, ...Object.fromEntries(settings) }))
  },
).pipe(Command.withDescription(descriptions.start))
