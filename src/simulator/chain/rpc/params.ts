import type { Simulation } from "../../Simulation.ts"
import { firstBlock } from "../../world/blockClock.ts"
import type { LogFilter } from "../Chain.ts"
import { errorCode, invalidArgument, RpcError } from "./protocol.ts"

/** The part of the world that a node knows. */
export type NodeView = Pick<Simulation, "head" | "chain" | "logs" | "model">

/** The view of a node that lacks the newest blocks. */
export const laggingView = ({ head, chain, logs, model }: NodeView, blocks: number): NodeView => ({
  head: Math.max(firstBlock, head - blocks),
  chain,
  logs,
  model,
})

/** Validator milestones finalize blocks about this far behind the head. */
const finalizedDepth = 32

/** The block, if the node has it. */
export const visibleBlock = (node: NodeView, block: number | undefined): number | undefined =>
  block !== undefined && block >= firstBlock && block <= node.head ? block : undefined

const describe = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value))

/** Lower-case hexadecimal digits of exactly `bytes` bytes. */
export const hexParam = (value: unknown, bytes: number, argument: number, name: string): string => {
  if (typeof value !== "string" || !/^0x[0-9a-f]*$/i.test(value) || value.length !== 2 + bytes * 2) {
    throw invalidArgument(argument, `${name} must be 0x and ${bytes * 2} hexadecimal digits, not ${describe(value)}`)
  }
  return value.toLowerCase()
}

export const booleanParam = (value: unknown, argument: number, name: string): boolean => {
  if (typeof value !== "boolean")
    throw invalidArgument(argument, `${name} must be true or false, not ${describe(value)}`)
  return value
}

/** The block number of a number or tag; the block may not exist. */
export const blockParam = (node: NodeView, value: unknown, argument: number, name = "block"): number => {
  switch (value) {
    case "latest":
    case "pending":
      return node.head
    case "safe":
    case "finalized":
      return Math.max(firstBlock, node.head - finalizedDepth)
    case "earliest":
      return firstBlock
  }
  if (typeof value === "string" && /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i.test(value)) return Number(value)
  throw invalidArgument(
    argument,
    `${name} must be a tag or a hexadecimal number without leading zeros, not ${describe(value)}`,
  )
}

export const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value)

const maxBlockRange = 10_000
const maxTopics = 4

type Fields = Readonly<Record<string, unknown>>

const filterObject = (value: unknown, argument: number): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument(argument, "filter must be an object")
  }
  return value as Fields
}

/** One value or a list of alternatives; undefined matches everything. */
const anyOf = (value: unknown, bytes: number, argument: number, name: string): ReadonlySet<string> | undefined => {
  if (value === undefined || value === null) return undefined
  const list = Array.isArray(value) ? value : [value]
  return list.length === 0 ? undefined : new Set(list.map((each) => hexParam(each, bytes, argument, name)))
}

type LogCriteria = Pick<LogFilter, "addresses" | "topics">

/** The addresses and topics of a filter. */
export const logCriteria = (value: unknown, argument: number): LogCriteria => {
  const { address, topics = [] } = filterObject(value, argument)
  if (topics !== null && !Array.isArray(topics)) throw invalidArgument(argument, "topics must be an array")
  const list: ReadonlyArray<unknown> = topics ?? []
  if (list.length > maxTopics) throw invalidArgument(argument, `topics must have at most ${maxTopics} entries`)
  return {
    addresses: anyOf(address, 20, argument, "address"),
    topics: list.map((each, i) => anyOf(each, 32, argument, `topics[${i}]`)),
  }
}

const blockRangeIn = (node: NodeView, filter: Fields): readonly [number, number] => {
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined && blockHash !== null) {
    if ((fromBlock ?? toBlock ?? null) !== null) throw invalidArgument(0, "blockHash excludes fromBlock and toBlock")
    const block = visibleBlock(node, node.chain.blockByHash(hexParam(blockHash, 32, 0, "blockHash")))
    if (block === undefined) throw new RpcError(errorCode.refused, "unknown block")
    return [block, block]
  }
  const from = blockParam(node, fromBlock ?? "latest", 0, "fromBlock")
  const to = blockParam(node, toBlock ?? "latest", 0, "toBlock")
  if (from > to) throw new RpcError(errorCode.refused, "invalid block range params")
  if (to - from + 1 > maxBlockRange) {
    throw new RpcError(errorCode.refused, `exceed maximum block range: ${maxBlockRange}`)
  }
  return [from, Math.min(to, node.head)]
}

/** The filter of eth_getLogs. */
export const logFilter = (node: NodeView, value: unknown): LogFilter => {
  const [fromBlock, toBlock] = blockRangeIn(node, filterObject(value, 0))
  return { fromBlock, toBlock, ...logCriteria(value, 0) }
}
