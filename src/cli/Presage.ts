import { Command } from "effect/unstable/cli"
import { start } from "./start.ts"

const presage = Command.make("presage").pipe(
  Command.withDescription("A prediction-market data service that anyone can run"),
)

/**
 * The `presage` command with the subcommands that it needs for what was asked. Whoever starts it waits, twice even (the
 * venue is a process of its own), and the other commands take longer to load than `start` does.
 */
export const presageFor = async (asked: string | undefined) => {
  if (asked === start.name) return presage.pipe(Command.withSubcommands([start]))
  const { commands } = await import("./commands.ts")
  return presage.pipe(Command.withSubcommands(commands))
}
