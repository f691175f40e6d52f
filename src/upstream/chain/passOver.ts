import * as undecodable from "../undecodable.ts"
import type { UndecodableLog } from "./readLogs.ts"

/** Counts what could not be read and keeps a sample of it. */
export const passOver = (what: string, reason: string, sample: string) =>
  undecodable.passOver("rpc", what, [{ reason, item: sample }])

export const passOverLogs = (logs: ReadonlyArray<UndecodableLog>) =>
  undecodable.passOver(
    "rpc",
    "log",
    logs.map((item) => ({ reason: item.reason, item })),
  )
