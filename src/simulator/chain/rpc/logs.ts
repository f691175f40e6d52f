import { firstBlock } from "../../world/blockClock.ts"
import type { LogFilter } from "../Chain.ts"
import { logFilter } from "./filters.ts"
import { errorCode, RpcError } from "./RpcError.ts"
import type { Sight } from "./Sight.ts"

const mostLogs = 20_000

/** Transactions whose logs are made at once. */
const actsAtOnce = 500

type Blocks = Pick<LogFilter, "fromBlock" | "toBlock">

/** Cuts a range of blocks into pieces with a few transactions each, though never a block. */
function* piecesOf(sim: Sight, { fromBlock, toBlock }: Blocks): Iterable<Blocks> {
  const { block } = sim.made.world.facts
  const end = block.lowerBound(toBlock - firstBlock + 1)
  let from = fromBlock
  for (let act = block.lowerBound(from - firstBlock); act < end; act = block.lowerBound(from - firstBlock)) {
    const last = Math.min(act + actsAtOnce, end) - 1
    const to = block.get(last) + firstBlock
    yield { fromBlock: from, toBlock: to }
    from = to + 1
  }
}

const tooMany = (texts: ReadonlyArray<string>) =>
  new RpcError(
    errorCode.limitExceeded,
    `query returned more than ${mostLogs} results`,
    texts.reduce((sum, { length }) => sum + length, 0),
  )

/** The logs that each filter wants, as JSON, in one pass over their blocks; refused as soon as they are too many. */
const logsTexts = (sim: Sight, filters: ReadonlyArray<LogFilter>): ReadonlyArray<string> => {
  const found = filters.map((): Array<string> => [])
  for (const piece of filters[0] === undefined ? [] : piecesOf(sim, filters[0])) {
    sim.chain.logTextsFor(piece, filters).forEach((texts, i) => {
      const all = found[i] ?? []
      for (const text of texts) all.push(text)
      if (all.length > mostLogs) throw tooMany(all)
    })
  }
  return found.map((texts) => `[${texts.join(",")}]`)
}

/** The logs that a filter wants. */
export const logsText = (sim: Sight, filter: LogFilter): string => logsTexts(sim, [filter])[0] ?? "[]"

const areSameBlocks = (one: Blocks, other: Blocks) => one.fromBlock === other.fromBlock && one.toBlock === other.toBlock

/** Filters as they came, and what they mean; those that mean nothing are refused when it is their turn. */
const readable = (sim: Sight, values: ReadonlyArray<unknown>) =>
  values.flatMap((value) => {
    try {
      return [[value, logFilter(sim, value)] as const]
    } catch (error) {
      if (error instanceof RpcError) return []
      throw error
    }
  })

/** Answers the filters of one batch: those for the same blocks, as clients ask them, in one pass or not at all. */
export const logsOfBatch = (sim: Sight, values: ReadonlyArray<unknown>) => {
  const answers = new Map<unknown, string | RpcError>()
  const answerTogether = (filter: LogFilter) => {
    const same = readable(sim, values).filter(([, other]) => areSameBlocks(filter, other))
    const filters = same.map(([, each]) => each)
    try {
      const texts = logsTexts(sim, filters)
      same.forEach(([value], i) => {
        answers.set(value, texts[i] ?? "[]")
      })
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      for (const [value] of same) answers.set(value, error)
    }
  }
  return (value: unknown): string => {
    const filter = logFilter(sim, value)
    if (values.length === 1) return logsText(sim, filter)
    if (!answers.has(value)) answerTogether(filter)
    const answer = answers.get(value)
    if (answer instanceof RpcError) throw answer
    return answer ?? logsText(sim, filter)
  }
}
