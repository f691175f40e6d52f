import { accounts } from "./accounts.ts"
import { config } from "./config.ts"
import { doctor } from "./doctor.ts"
import { explainTx } from "./explainTx.ts"
import { exportFiles, importFiles } from "./files.ts"
import { keys } from "./keys.ts"
import { ledger } from "./ledger.ts"
import { backfill, migrate, rebuild, verify } from "./maintenance.ts"
import { record } from "./record.ts"
import { replay } from "./replay.ts"
import { start } from "./start.ts"
import { status } from "./status.ts"
import { tune } from "./tune.ts"
import { webhooks } from "./webhooks.ts"

/** Every command, in the order of the help page. */
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
  ledger,
  exportFiles,
  importFiles,
  explainTx,
  record,
  replay,
  keys,
  accounts,
  webhooks,
] as const
