import { firstBlock } from "../../world/blockClock.ts"
import type { LogFilter } from "../Chain.ts"
import { errorCode, RpcError } from "./RpcError.ts"
import type { Sight } from "./Sight.ts"

const mostLogs = 20_000

/** Transactions whose logs are made at once. */
const actsAtOnce = 500

/** Cuts a range of blocks into pieces with a few transactions each, though never a block. */
function* piecesOf(sim: Sight, { fromBlock, toBlock }: LogFilter): Iterable<readonly [number, number]> {
  const { block } = sim.made.world.facts
  const end = block.lowerBound(toBlock - firstBlock + 1)
  let from = fromBlock
  for (let act = block.lowerBound(from - firstBlock); act < end; act = block.lowerBound(from - firstBlock)) {
    const last = Math.min(act + actsAtOnce, end) - 1
    const to = block.get(last) + firstBlock
    yield [from, to]
    from = to + 1
  }
}

/** The logs that a filter wants, as JSON; refused as soon as they are seen to be too many. */
export const logsText = (sim: Sight, filter: LogFilter): string => {
  const texts: Array<string> = []
  for (const [fromBlock, toBlock] of piecesOf(sim, filter)) {
    for (const text of sim.chain.logTexts({ ...filter, fromBlock, toBlock })) texts.push(text)
    if (texts.length > mostLogs) {
      const made = texts.reduce((sum, { length }) => sum + length, 0)
      throw new RpcError(errorCode.limitExceeded, `query returned more than ${mostLogs} results`, made)
    }
  }
  return `[${texts.join(",")}]`
}
