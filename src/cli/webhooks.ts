import { Command } from "effect/unstable/cli"
import { listen } from "./webhooksListen.ts"

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("See webhooks and what became of their deliveries, and receive some yourself"),
  Command.withSubcommands([listen]),
)
