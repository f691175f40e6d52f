import type { BlockHeader } from "./header.ts"
import type { ChainLogs } from "./readLogs.ts"

/** Whether all logs of a block have one time, and none is older than those before it. */
export const isConsistent = ({ logs }: ChainLogs): boolean =>
  logs.every((log, i) => {
    const before = logs[i - 1]
    if (before === undefined) return true
    return before.block === log.block ? before.at === log.at : before.at <= log.at
  })

/** Whether the logs of some blocks have the times and the hashes of these. */
export const agreesWith = (
  { logs }: ChainLogs,
  blocks: ReadonlyArray<BlockHeader | undefined>,
  which: ReadonlyArray<number>,
): boolean => {
  const byNumber = new Map(blocks.flatMap((block) => (block === undefined ? [] : [[block.number, block]])))
  const wanted = new Set(which)
  return logs.every(({ block, blockHash, at }) => {
    if (!wanted.has(block)) return true
    const header = byNumber.get(block)
    return header !== undefined && header.hash === blockHash && header.at === at
  })
}
