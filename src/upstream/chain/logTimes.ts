import type { BlockHeader } from "./header.ts"
import type { ChainLogs } from "./readLogs.ts"

/** Whether all logs of a block have one time and one hash, and none is older than those before it. */
export const isConsistent = ({ logs }: ChainLogs): boolean =>
  logs.every((log, i) => {
    const before = logs[i - 1]
    if (before === undefined) return true
    if (before.block !== log.block) return before.at <= log.at
    return before.at === log.at && before.blockHash === log.blockHash
  })

/** Whether what was told about some blocks is what their headers say. */
export const agreesWith = (
  told: ReadonlyArray<Pick<BlockHeader, "number" | "hash" | "at">>,
  headers: ReadonlyArray<BlockHeader | undefined>,
): boolean => {
  const byNumber = new Map(headers.flatMap((header) => (header === undefined ? [] : [[header.number, header]])))
  return told.every(({ number, hash, at }) => {
    const header = byNumber.get(number)
    return header !== undefined && header.hash === hash && header.at === at
  })
}
