import { isAscii } from "node:buffer"
import { MalformedReply, RefusedReply, resultsOf } from "./answers.ts"
import { type BlockHeader, readBlock } from "./header.ts"
import { inParts, mergedLogs, wantedLogs } from "./logFilters.ts"
import {
  type BlockRange,
  type ChainLogs,
  readLogs,
  rowsOf,
  type UndecodableLog,
  untimedBlocks,
  wantedRows,
} from "./readLogs.ts"

/** What the calls depend on that read a range. */
export interface RangeCalls {
  readonly range: BlockRange
  /** Whether the logs come from one filter that is wider than the wanted logs. */
  readonly isMerged: boolean
  /** At most so many addresses are in one filter. */
  readonly addresses: number
}

/** A node's unparsed answer about a range. */
export interface RangeAnswer extends RangeCalls {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Headers of blocks whose logs have no time; undefined on the first read. */
  readonly headers: ReadonlyArray<BlockHeader> | undefined
}

type BlockOfLogs = Pick<BlockHeader, "number" | "hash" | "at">

/** The properties of an answer that show whether it is consistent. */
export interface RangeRead {
  /** The last block of the range. */
  readonly header: BlockHeader
  /** The last block with logs, according to the logs; also the first if they came from several filters. */
  readonly ends: ReadonlyArray<BlockOfLogs>
  readonly isConsistent: boolean
  readonly count: number
  readonly undecodable: ReadonlyArray<UndecodableLog>
}

export interface RangeLogs extends RangeRead, ChainLogs {}

/** Result of reading an answer. */
export type RangeResult<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Untimed"; readonly blocks: ReadonlyArray<number>; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Refused"; readonly method: string; readonly code: number; readonly detail: string }
  | { readonly _tag: "Malformed"; readonly detail: string }

const quantity = (value: number) => `0x${value.toString(16)}`
const getLogs = "eth_getLogs"

/**
 * The calls that read a range. A node that lacks the last block silently omits its logs; requesting the block in the same
 * batch reveals that.
 */
export const rangeCalls = ({ range: { from, to }, isMerged, addresses }: RangeCalls) => [
  ...inParts(isMerged ? [mergedLogs] : wantedLogs, addresses).map((filter) => ({
    method: getLogs,
    params: [{ fromBlock: quantity(from), toBlock: quantity(to), ...filter }],
  })),
  { method: "eth_getBlockByNumber", params: [quantity(to), false] },
]

const parsed = (bytes: Uint8Array<ArrayBuffer>): unknown => {
  // Most answers are ASCII, for which this is several times as fast.
  const encoding = isAscii(bytes) ? "latin1" : "utf8"
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedReply(`not JSON: ${text.slice(0, 200).replace(/\s+/g, " ")}`)
  }
}

const blockOf = ({ block, blockHash, at }: ChainLogs["logs"][number]): BlockOfLogs => ({
  number: block,
  hash: blockHash,
  at,
})

/** Whether the logs of each block have one time and one hash, and times never decrease. */
const isConsistent = ({ logs }: ChainLogs): boolean =>
  logs.every((log, i) => {
    const before = logs[i - 1]
    if (before === undefined) return true
    if (before.block !== log.block) return before.at <= log.at
    return before.at === log.at && before.blockHash === log.blockHash
  })

const readValid = (answer: RangeAnswer): RangeResult<RangeLogs> => {
  const { bytes, range, isMerged, headers } = answer
  const methods = rangeCalls(answer).map(({ method }) => method)
  const results = resultsOf(methods, parsed(bytes))
  const header = readBlock(range.to, results.at(-1))
  if (header === undefined) throw new MalformedReply(`${getLogs}: the node does not have block ${range.to} yet`)
  const answered = results.slice(0, -1).flatMap(rowsOf)
  const rows = isMerged ? wantedRows(answered) : answered
  const blocks = headers === undefined ? untimedBlocks(rows) : []
  if (blocks.length > 0) return { _tag: "Untimed", blocks, bytes }
  const read = readLogs(rows, range, new Map(headers?.map((each) => [each.number, each])))
  const isOneFilter = methods.length === 2
  const ends = [isOneFilter ? undefined : read.logs[0], read.logs.at(-1)].flatMap((log) =>
    log === undefined ? [] : [blockOf(log)],
  )
  return { _tag: "Read", value: { ...read, header, ends, isConsistent: isConsistent(read), count: read.logs.length } }
}

/** Reads the answer to the calls of a range. */
export const readRange = (answer: RangeAnswer): RangeResult<RangeLogs> => {
  try {
    return readValid(answer)
  } catch (error) {
    if (error instanceof MalformedReply) return { _tag: "Malformed", detail: error.message }
    if (!(error instanceof RefusedReply)) throw error
    return { _tag: "Refused", method: error.method, code: error.code, detail: error.message }
  }
}
