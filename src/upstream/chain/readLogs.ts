import { OddReply } from "./answers.ts"
import { decodeLog } from "./decode.ts"
import type { ChainEvent } from "./events.ts"
import type { BlockHeader } from "./header.ts"
import { isSettlement } from "./logFilters.ts"

/** Where a log stands. Hashes have 64 digits, without 0x. */
interface Place {
  readonly block: number
  readonly blockHash: string
  readonly tx: string
  readonly txIndex: number
  readonly logIndex: number
}

export interface ChainLog extends Place {
  /** Milliseconds UTC. */
  readonly at: number
  readonly event: ChainEvent
}

/** A log of a wanted contract that could not be read, as far as it is worth keeping. */
export interface UndecodableLog extends Place {
  readonly address: string
  readonly topic: string
  readonly data: string
  readonly reason: string
}

export interface ChainLogs {
  /** In the order of the chain. */
  readonly logs: ReadonlyArray<ChainLog>
  readonly undecodable: ReadonlyArray<UndecodableLog>
}

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null

/** An answer is a list of objects; what is in them is looked at while they are read. */
export const rowsOf = (result: unknown): ReadonlyArray<Row> => {
  if (!Array.isArray(result) || !result.every(isRow)) throw new OddReply("logs: no list of objects")
  return result
}

const hash = /^0x[0-9a-f]{64}$/
const quantity = /^0x[0-9a-f]{1,13}$/i

const quantityOf = (value: unknown): number => {
  if (typeof value !== "string" || !quantity.test(value)) throw new OddReply("logs: a number that is none")
  return Number.parseInt(value, 16)
}

const hashOf = (value: unknown): string => {
  if (typeof value !== "string") throw new OddReply("logs: a hash that is none")
  if (hash.test(value)) return value.slice(2)
  const lower = value.toLowerCase()
  if (!hash.test(lower)) throw new OddReply("logs: a hash that is none")
  return lower.slice(2)
}

const textOf = (value: unknown): string => {
  if (typeof value !== "string") throw new OddReply("logs: text that is none")
  return value
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string")

const topicsOf = ({ topics }: Row): ReadonlyArray<string> => {
  if (!isTexts(topics)) throw new OddReply("logs: topics that are none")
  return topics
}

/** Logs that a reorganisation took away are told with this mark. */
const isRemoved = ({ removed }: Row): boolean => {
  if (removed !== undefined && typeof removed !== "boolean")
    throw new OddReply("logs: removed is neither true nor false")
  return removed === true
}

/** Blocks whose time the rows do not tell, as older nodes do not. */
export const untimedBlocks = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => [
  ...new Set(rows.flatMap((row) => (row["blockTimestamp"] == null ? [quantityOf(row["blockNumber"])] : []))),
]

export interface Range {
  readonly from: number
  readonly to: number
}

/** Remembers what it read last: logs of one transaction and block follow each other. */
const remembering = <A>(read: (value: unknown) => A) => {
  let [seen, known]: [unknown, A | undefined] = [undefined, undefined]
  return (value: unknown): A => {
    if (known === undefined || value !== seen) [seen, known] = [value, read(value)]
    return known
  }
}

const comesAfter = (later: Place, earlier: Place) =>
  later.block > earlier.block || (later.block === earlier.block && later.logIndex > earlier.logIndex)

const follows = <A extends Place>(log: A, i: number, logs: ReadonlyArray<A>) =>
  i === 0 || comesAfter(log, logs[i - 1] as A)

/** A log that is told twice is one. */
const inOrder = <A extends Place>(logs: Array<A>): ReadonlyArray<A> =>
  logs.every(follows) ? logs : logs.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex).filter(follows)

/** Reads the rows of `eth_getLogs`, checking by hand what a schema would: a backfill has tens of millions of them. */
export const readLogs = (
  rows: ReadonlyArray<Row>,
  { from, to }: Range,
  headers: ReadonlyMap<number, BlockHeader>,
): ChainLogs => {
  const logs: Array<ChainLog> = []
  const undecodable: Array<UndecodableLog> = []
  const blockOf = remembering(quantityOf)
  const blockHashOf = remembering(hashOf)
  const txOf = remembering(hashOf)
  const timeOf = remembering((value) => quantityOf(value) * 1000)
  const timeFrom = (block: number, blockHash: string): number => {
    const header = headers.get(block)
    if (header?.hash !== blockHash) throw new OddReply("logs: a block was replaced while it was read")
    return header.at
  }
  for (const row of rows) {
    if (isRemoved(row)) continue
    const block = blockOf(row["blockNumber"])
    if (block < from || block > to) throw new OddReply("logs: a block that was not asked for")
    const blockHash = blockHashOf(row["blockHash"])
    const told = row["blockTimestamp"]
    const at = told == null ? timeFrom(block, blockHash) : timeOf(told)
    const tx = txOf(row["transactionHash"])
    const txIndex = quantityOf(row["transactionIndex"])
    const logIndex = quantityOf(row["logIndex"])
    const topics = topicsOf(row)
    if (isSettlement(topics)) continue
    const address = textOf(row["address"])
    const data = textOf(row["data"])
    const event = decodeLog(address, { topics, data })
    if (event._tag === "DecodeFailure") {
      const topic = topics[0] ?? ""
      const sample = { address, topic, data: data.slice(0, 1_000), reason: event.reason }
      undecodable.push({ block, blockHash, tx, txIndex, logIndex, ...sample })
    } else {
      logs.push({ block, blockHash, at, tx, txIndex, logIndex, event })
    }
  }
  return { logs: inOrder(logs), undecodable: inOrder(undecodable) }
}
