import type { LogFilter } from "../Chain.ts"
import { bytesAt, heightAt, shown } from "./params.ts"
import { errorCode, invalid, RpcError } from "./RpcError.ts"
import type { Sight } from "./Sight.ts"

const largestWindow = 10_000
const mostTopics = 4

type Fields = Readonly<Record<string, unknown>>

const fieldsAt = (value: unknown, place: number): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(place, "filter must be an object")
  }
  return value as Fields
}

/** One value or any of several; none at all means everything. */
const anyOf = (value: unknown, bytes: number, place: number, name: string): ReadonlySet<string> | undefined => {
  if (value === undefined || value === null) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list.length === 0 ? undefined : new Set(list.map((each) => bytesAt(each, bytes, place, name)))
}

type Wanted = Pick<LogFilter, "addresses" | "topics">

/** Which logs a filter wants, apart from their blocks. */
export const wantedAt = (value: unknown, place: number): Wanted => {
  const { address, topics = [] } = fieldsAt(value, place)
  if (topics !== null && !Array.isArray(topics)) throw invalid(place, "topics must be an array")
  const list: ReadonlyArray<unknown> = topics ?? []
  if (list.length > mostTopics) throw invalid(place, `topics must be at most ${mostTopics}`)
  return {
    addresses: anyOf(address, 20, place, "address"),
    topics: list.map((each, i) => anyOf(each, 32, place, `topics[${i}]`)),
  }
}

const blocksAt = (sim: Sight, filter: Fields): readonly [number, number] => {
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined && blockHash !== null) {
    if ((fromBlock ?? toBlock ?? null) !== null) throw invalid(0, "blockHash excludes fromBlock and toBlock")
    const block = shown(sim, sim.chain.blockWith(bytesAt(blockHash, 32, 0, "blockHash")))
    if (block === undefined) throw new RpcError(errorCode.refused, "unknown block")
    return [block, block]
  }
  const from = heightAt(sim, fromBlock ?? "latest", 0, "fromBlock")
  const to = heightAt(sim, toBlock ?? "latest", 0, "toBlock")
  if (from > to) throw new RpcError(errorCode.refused, "invalid block range params")
  if (to - from + 1 > largestWindow) {
    throw new RpcError(errorCode.refused, `exceed maximum block range: ${largestWindow}`)
  }
  return [from, Math.min(to, sim.head)]
}

/** The filter of eth_getLogs. */
export const logFilter = (sim: Sight, value: unknown): LogFilter => {
  const [fromBlock, toBlock] = blocksAt(sim, fieldsAt(value, 0))
  return { fromBlock, toBlock, ...wantedAt(value, 0) }
}
