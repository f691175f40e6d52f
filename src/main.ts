import { NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/unstable/cli"
import { presage } from "./cli/Presage.ts"
import { runMain } from "./platform/runMain.ts"
import { version } from "./platform/version.ts"

runMain(Command.run(presage, { version }).pipe(Effect.provide(NodeServices.layer)))
