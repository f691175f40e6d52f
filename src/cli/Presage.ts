import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/unstable/cli"
import { runMain } from "#src/platform/process/runMain.ts"
import { version } from "#src/platform/process/version.ts"
import { isCommand, loadCommand, loadCommands } from "./commands.ts"
import { about } from "./descriptions.ts"

const flags = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

const presage = Command.make("presage").pipe(Command.withDescription(about))

/** The `presage` command with the subcommands that its first argument needs. */
const presageFor = async (name: string | undefined) =>
  presage.pipe(Command.withSubcommands(isCommand(name) ? [await loadCommand[name]()] : await loadCommands()))

/** Runs the command line. */
export const runPresage = async () => {
  const command = await presageFor(process.argv[2])
  runMain(Command.run(command, { version }).pipe(Effect.provide(Layer.merge(NodeServices.layer, flags))))
}
