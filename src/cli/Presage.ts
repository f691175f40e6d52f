import { Command } from "effect/unstable/cli"
import { start } from "./start.ts"

const presage = Command.make("presage").pipe(
  Command.withDescription("A self-hosted data service for prediction markets"),
)

/**
 * The `presage` command with the subcommands it needs. `start` is loaded alone, because the other commands take longer to
 * load, and every start would pay for that twice (the venue is a separate process).
 */
export const presageFor = async (name: string | undefined) => {
  if (name === start.name) return presage.pipe(Command.withSubcommands([start]))
  const { commands } = await import("./commands.ts")
  return presage.pipe(Command.withSubcommands(commands))
}
