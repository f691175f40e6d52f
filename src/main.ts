import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/unstable/cli"
import { presageFor } from "./cli/Presage.ts"
import { runMain } from "./platform/runMain.ts"
import { version } from "./platform/version.ts"

const flags = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

const presage = await presageFor(process.argv[2])

runMain(Command.run(presage, { version }).pipe(Effect.provide(Layer.merge(NodeServices.layer, flags))))
