import { byteLength, type Chunks, jsonList } from "../../wire.ts"
import { firstBlock } from "../../world/blockClock.ts"
import type { LogFilter } from "../Chain.ts"
import { logFilter, type NodeView } from "./params.ts"
import { errorCode, RpcError } from "./protocol.ts"

const maxLogs = 20_000

/** Transactions whose logs are joined at once: few enough to keep joining cheap. */
const txsPerSlice = 16

type Blocks = Pick<LogFilter, "fromBlock" | "toBlock">

/** Cuts a block range into slices with a few transactions each, never splitting a block. */
function* blockSlices(node: NodeView, { fromBlock, toBlock }: Blocks): Iterable<Blocks> {
  const { block } = node.model.world.facts
  const end = block.lowerBound(toBlock - firstBlock + 1)
  let from = fromBlock
  for (let tx = block.lowerBound(from - firstBlock); tx < end; tx = block.lowerBound(from - firstBlock)) {
    const last = Math.min(tx + txsPerSlice, end) - 1
    const to = block.get(last) + firstBlock
    yield { fromBlock: from, toBlock: to }
    from = to + 1
  }
}

/** Collects matching logs as JSON. */
class LogCollector {
  readonly #chunks: Array<Chunks> = []
  #count = 0

  add(texts: ReadonlyArray<string>): void {
    if (texts.length === 0) return
    this.#count += texts.length
    // The text is ASCII, and latin1 copies it without transcoding.
    this.#chunks.push([Buffer.from(texts.join(","), "latin1")])
    if (this.#count <= maxLogs) return
    const bytesBuilt = byteLength(this.#chunks.flat())
    throw new RpcError(errorCode.limitExceeded, `query returned more than ${maxLogs} results`, bytesBuilt)
  }

  get list(): Chunks {
    return jsonList(this.#chunks)
  }
}

/** The logs matching each filter, in one pass over their blocks; fails as soon as there are too many. */
const collectLogs = (node: NodeView, filters: ReadonlyArray<LogFilter>): ReadonlyArray<Chunks> => {
  const found = filters.map(() => new LogCollector())
  for (const blocks of filters[0] === undefined ? [] : blockSlices(node, filters[0])) {
    node.chain.logTextsFor(blocks, filters).forEach((texts, i) => {
      found[i]?.add(texts)
    })
  }
  return found.map(({ list }) => list)
}

/** The logs matching a filter. */
export const logsJson = (node: NodeView, filter: LogFilter): Chunks => collectLogs(node, [filter])[0] ?? jsonList([])

const areSameBlocks = (one: Blocks, other: Blocks) => one.fromBlock === other.fromBlock && one.toBlock === other.toBlock

/** The filters that parse; the others are rejected when their own request is answered. */
const validFilters = (node: NodeView, values: ReadonlyArray<unknown>) =>
  values.flatMap((value) => {
    try {
      return [[value, logFilter(node, value)] as const]
    } catch (error) {
      if (error instanceof RpcError) return []
      throw error
    }
  })

/** Answers the filters of one batch: those for the same blocks share one pass, and fail together. */
export const batchLogs = (node: NodeView, values: ReadonlyArray<unknown>) => {
  const results = new Map<unknown, Chunks | RpcError>()
  const collectTogether = (filter: LogFilter) => {
    const same = validFilters(node, values).filter(([, other]) => areSameBlocks(filter, other))
    // Equal filters share one answer.
    const groups = [...Map.groupBy(same, ([value]) => JSON.stringify(value)).values()]
    try {
      const texts = collectLogs(
        node,
        groups.flatMap(([first]) => (first === undefined ? [] : [first[1]])),
      )
      groups.forEach((group, i) => {
        for (const [value] of group) results.set(value, texts[i] ?? jsonList([]))
      })
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      for (const [value] of same) results.set(value, error)
    }
  }
  return (value: unknown): Chunks => {
    const filter = logFilter(node, value)
    if (values.length === 1) return logsJson(node, filter)
    if (!results.has(value)) collectTogether(filter)
    const result = results.get(value)
    if (result instanceof RpcError) throw result
    return result ?? logsJson(node, filter)
  }
}
