import { accounts } from "./accounts.ts"
import { backfill } from "./backfill.ts"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { keys } from "./keys.ts"
import { migrate } from "./migrate.ts"
import { rebuild } from "./rebuild.ts"
import { start } from "./start.ts"
import { status } from "./status.ts"
import { tune } from "./tune.ts"
import { verify } from "./verify.ts"
import { webhooks } from "./webhooks.ts"

/** Every command, in the order in which the help page prints them. */
export const commands = [
  start,
  config,
  tune,
  migrate,
  doctor,
  status,
  verify,
  rebuild,
  backfill,
  keys,
  accounts,
  webhooks,
] as const
