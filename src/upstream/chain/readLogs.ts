import { MalformedReply } from "./answers.ts"
import { decodeLog } from "./decode.ts"
import type { ApprovalForAll, ChainEvent, CollateralApproval } from "./events.ts"
import type { BlockHeader } from "./header.ts"
import { isRelevant, isSettlement, isWanted, watchedContracts } from "./logFilters.ts"

/** Hashes have 64 digits, without 0x. */
interface LogPosition {
  readonly block: number
  readonly blockHash: string
  readonly tx: string
  readonly txIndex: number
  readonly logIndex: number
}

export interface ChainLog extends LogPosition {
  /** Milliseconds UTC. */
  readonly at: number
  readonly event: ChainEvent
}

/** A log that changes no balance, and is therefore apart from the others. */
export interface ApprovalLog extends LogPosition {
  readonly at: number
  readonly event: ApprovalForAll | CollateralApproval
}

/** A sample of a log that could not be decoded. */
export interface UndecodableLog extends LogPosition {
  readonly address: string
  readonly topic: string
  readonly data: string
  readonly reason: string
}

export interface ChainLogs {
  /** In chain order. */
  readonly logs: ReadonlyArray<ChainLog>
  readonly approvals: ReadonlyArray<ApprovalLog>
  readonly undecodable: ReadonlyArray<UndecodableLog>
}

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null

/** Checks that an answer is a list of objects; their fields are checked by `readLogs`. */
export const rowsOf = (result: unknown): ReadonlyArray<Row> => {
  if (!Array.isArray(result) || !result.every(isRow)) throw new MalformedReply("logs: not a list of objects")
  return result
}

const hash = /^0x[0-9a-f]{64}$/
const quantity = /^0x[0-9a-f]{1,13}$/i

const quantityOf = (value: unknown): number => {
  if (typeof value !== "string" || !quantity.test(value)) throw new MalformedReply("logs: malformed number")
  return Number.parseInt(value, 16)
}

const hashOf = (value: unknown): string => {
  if (typeof value !== "string") throw new MalformedReply("logs: malformed hash")
  if (hash.test(value)) return value.slice(2)
  const lower = value.toLowerCase()
  if (!hash.test(lower)) throw new MalformedReply("logs: malformed hash")
  return lower.slice(2)
}

const textOf = (value: unknown): string => {
  if (typeof value !== "string") throw new MalformedReply("logs: malformed text")
  return value
}

const areStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((each) => typeof each === "string")

const topicsOf = ({ topics }: Row): ReadonlyArray<string> => {
  if (!areStrings(topics)) throw new MalformedReply("logs: malformed topics")
  return topics
}

/** The rows that the ledger must look at. */
export const relevantRows = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.filter((row) => isRelevant({ address: textOf(row["address"]), topics: topicsOf(row) }))

/** The rows that the ledger needs. */
export const wantedRows = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.filter((row) => isWanted({ address: textOf(row["address"]), topics: topicsOf(row) }))

/** A log as the node returned it; hexadecimal is lower-case with 0x. */
export interface VenueLog {
  readonly block: number
  readonly logIndex: number
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

const watched = new Set(watchedContracts)

const isHex = /^0x([0-9a-f]{2})*$/

const hexOf = (value: unknown): string => {
  const text = textOf(value).toLowerCase()
  if (!isHex.test(text)) throw new MalformedReply("logs: malformed bytes")
  return text
}

/** The logs of the venue's own contracts, in chain order. */
export const venueLogs = (rows: ReadonlyArray<Row>): ReadonlyArray<VenueLog> =>
  rows
    .filter((row) => !isRemoved(row) && watched.has(textOf(row["address"]).toLowerCase()))
    .map((row) => ({
      block: quantityOf(row["blockNumber"]),
      logIndex: quantityOf(row["logIndex"]),
      address: hexOf(row["address"]),
      topics: topicsOf(row).map(hexOf),
      data: hexOf(row["data"]),
    }))
    .sort(byPosition)
    .filter(follows)

/** Marks logs that a reorganisation removed. */
const isRemoved = ({ removed }: Row): boolean => {
  if (removed !== undefined && typeof removed !== "boolean") throw new MalformedReply("logs: removed is not a boolean")
  return removed === true
}

/** Older nodes leave the time out of their rows; some write zero. */
const isUntimed = (timestamp: unknown) => timestamp == null || timestamp === "0x0"

/** Blocks whose time is missing in the rows. */
export const untimedBlocks = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => [
  ...new Set(rows.flatMap((row) => (isUntimed(row["blockTimestamp"]) ? [quantityOf(row["blockNumber"])] : []))),
]

export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Caches the last value: logs of one transaction and block are adjacent. */
const cachingLast = <A>(read: (value: unknown) => A) => {
  let [last, cached]: [unknown, A | undefined] = [undefined, undefined]
  return (value: unknown): A => {
    if (cached === undefined || value !== last) [last, cached] = [value, read(value)]
    return cached
  }
}

type Order = Pick<LogPosition, "block" | "logIndex">

const byPosition = (a: Order, b: Order) => a.block - b.block || a.logIndex - b.logIndex

const follows = <A extends Order>(log: A, i: number, logs: ReadonlyArray<A>) =>
  i === 0 || byPosition(log, logs[i - 1] as A) > 0

/** In chain order, without duplicates. */
const inOrder = <A extends LogPosition>(logs: Array<A>): ReadonlyArray<A> =>
  logs.every(follows) ? logs : logs.sort(byPosition).filter(follows)

/** Reads the rows of `eth_getLogs`. Checks them by hand instead of by a schema: a backfill has tens of millions. */
export const readLogs = (
  rows: ReadonlyArray<Row>,
  { from, to }: BlockRange,
  headers: ReadonlyMap<number, BlockHeader>,
): ChainLogs => {
  const logs: Array<ChainLog> = []
  const approvals: Array<ApprovalLog> = []
  const undecodable: Array<UndecodableLog> = []
  const blockOf = cachingLast(quantityOf)
  const blockHashOf = cachingLast(hashOf)
  const txOf = cachingLast(hashOf)
  const timeOf = cachingLast((value) => quantityOf(value) * 1000)
  const timeFrom = (block: number, blockHash: string): number => {
    const header = headers.get(block)
    if (header?.hash !== blockHash) throw new MalformedReply("logs: a block was replaced during the read")
    return header.at
  }
  for (const row of rows) {
    if (isRemoved(row)) continue
    const block = blockOf(row["blockNumber"])
    if (block < from || block > to) throw new MalformedReply("logs: a block outside the range")
    const blockHash = blockHashOf(row["blockHash"])
    const timestamp = row["blockTimestamp"]
    const at = isUntimed(timestamp) ? timeFrom(block, blockHash) : timeOf(timestamp)
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
    } else if (event._tag === "ApprovalForAll" || event._tag === "CollateralApproval") {
      approvals.push({ block, blockHash, at, tx, txIndex, logIndex, event })
    } else {
      logs.push({ block, blockHash, at, tx, txIndex, logIndex, event })
    }
  }
  return { logs: inOrder(logs), approvals: inOrder(approvals), undecodable: inOrder(undecodable) }
}
