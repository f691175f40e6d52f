import { Command } from "effect/unstable/cli"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { migrate } from "./migrate.ts"
import { start } from "./start.ts"
import { tune } from "./tune.ts"
import { verify } from "./verify.ts"

/** The `presage` command. */
export const presage = Command.make("presage").pipe(
  Command.withDescription("A prediction-market data service that anyone can run"),
  Command.withSubcommands([start, config, tune, migrate, doctor, verify]),
)
