import { bytesIn, listOf, type Pieces } from "../../pieces.ts"
import { firstBlock } from "../../world/blockClock.ts"
import type { LogFilter } from "../Chain.ts"
import { logFilter } from "./filters.ts"
import { errorCode, RpcError } from "./RpcError.ts"
import type { Sight } from "./Sight.ts"

const mostLogs = 20_000

/** Transactions whose logs are made at once: few enough for one piece of text to be cheap to put together. */
const actsAtOnce = 16

type Blocks = Pick<LogFilter, "fromBlock" | "toBlock">

/** Cuts a range of blocks into parts with a few transactions each, though never a block. */
function* partsOf(sim: Sight, { fromBlock, toBlock }: Blocks): Iterable<Blocks> {
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

/** Logs that were found, as JSON. */
class FoundLogs {
  readonly #pieces: Array<Pieces> = []
  #count = 0

  add(texts: ReadonlyArray<string>): void {
    if (texts.length === 0) return
    this.#count += texts.length
    // Hexadecimal has no character for which this would differ from UTF-8, and it is copied without being looked at.
    this.#pieces.push([Buffer.from(texts.join(","), "latin1")])
    if (this.#count <= mostLogs) return
    const made = bytesIn(this.#pieces.flat())
    throw new RpcError(errorCode.limitExceeded, `query returned more than ${mostLogs} results`, made)
  }

  get list(): Pieces {
    return listOf(this.#pieces)
  }
}

/** The logs that each filter wants, in one pass over their blocks; refused as soon as they are too many. */
const logsTexts = (sim: Sight, filters: ReadonlyArray<LogFilter>): ReadonlyArray<Pieces> => {
  const found = filters.map(() => new FoundLogs())
  for (const blocks of filters[0] === undefined ? [] : partsOf(sim, filters[0])) {
    sim.chain.logTextsFor(blocks, filters).forEach((texts, i) => {
      found[i]?.add(texts)
    })
  }
  return found.map(({ list }) => list)
}

/** The logs that a filter wants. */
export const logsText = (sim: Sight, filter: LogFilter): Pieces => logsTexts(sim, [filter])[0] ?? listOf([])

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
  const answers = new Map<unknown, Pieces | RpcError>()
  const answerTogether = (filter: LogFilter) => {
    const same = readable(sim, values).filter(([, other]) => areSameBlocks(filter, other))
    // Those that ask the same are answered with the same bytes.
    const alike = [...Map.groupBy(same, ([value]) => JSON.stringify(value)).values()]
    try {
      const texts = logsTexts(
        sim,
        alike.flatMap(([first]) => (first === undefined ? [] : [first[1]])),
      )
      alike.forEach((each, i) => {
        for (const [value] of each) answers.set(value, texts[i] ?? listOf([]))
      })
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      for (const [value] of same) answers.set(value, error)
    }
  }
  return (value: unknown): Pieces => {
    const filter = logFilter(sim, value)
    if (values.length === 1) return logsText(sim, filter)
    if (!answers.has(value)) answerTogether(filter)
    const answer = answers.get(value)
    if (answer instanceof RpcError) throw answer
    return answer ?? logsText(sim, filter)
  }
}
