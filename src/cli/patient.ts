import { postgresLockTimeout, postgresStatementTimeout } from "#src/platform/config/settings.ts"
import { configured } from "./configured.ts"

/** For a command that works through the whole ledger while others use it: it may wait longer than a service may. */
export const patient = (flags: Readonly<Record<string, string>>) =>
  configured({ [postgresStatementTimeout.name]: "10m", [postgresLockTimeout.name]: "1m", ...flags })
