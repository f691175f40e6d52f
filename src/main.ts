import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/unstable/cli"
import { runMain } from "#src/platform/process/runMain.ts"
import { version } from "#src/platform/process/version.ts"
import { presageFor } from "./cli/Presage.ts"

const flags = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

const presage = await presageFor(process.argv[2])

runMain(Command.run(presage, { version }).pipe(Effect.provide(Layer.merge(NodeServices.layer, flags))))
