import { isAscii } from "node:buffer"
import { OddReply, RefusedReply, resultsOf } from "./answers.ts"
import { type BlockHeader, readBlock } from "./header.ts"
import { wantedLogs } from "./logFilters.ts"
import { isConsistent } from "./logTimes.ts"
import { type ChainLogs, type Range, readLogs, rowsOf, type UndecodableLog, untimedBlocks } from "./readLogs.ts"

/** What a node answered about a range, as it came. */
export interface RangeAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly range: Range
  /** Those of blocks whose logs do not tell their time; undefined until it is known whether there are any. */
  readonly headers: ReadonlyArray<BlockHeader> | undefined
}

type BlockOfLogs = Pick<BlockHeader, "number" | "hash" | "at">

/** What whoever doubts an answer looks at, besides what was read from it. */
export interface RangeRead {
  /** Of the last block of the range. */
  readonly header: BlockHeader
  /** The first and the last block with logs, as these tell it. */
  readonly ends: ReadonlyArray<BlockOfLogs>
  readonly isConsistent: boolean
  readonly count: number
  readonly undecodable: ReadonlyArray<UndecodableLog>
}

export interface RangeLogs extends RangeRead, ChainLogs {}

/** What was read from an answer, or what it says instead. */
export type Said<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Untimed"; readonly blocks: ReadonlyArray<number>; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly _tag: "Refused"; readonly method: string; readonly code: number; readonly detail: string }
  | { readonly _tag: "Odd"; readonly detail: string }

const quantity = (value: number) => `0x${value.toString(16)}`
const getLogs = "eth_getLogs"

/**
 * What a node is asked about a range. A node that does not have its last block yet leaves out the logs without a word;
 * asked for the block in the same request, it tells.
 */
export const rangeQuestions = ({ from, to }: Range) => [
  ...wantedLogs.map((filter) => ({
    method: getLogs,
    params: [{ fromBlock: quantity(from), toBlock: quantity(to), ...filter }],
  })),
  { method: "eth_getBlockByNumber", params: [quantity(to), false] },
]

const parsed = (bytes: Uint8Array<ArrayBuffer>): unknown => {
  // Most answers have no other characters, and then this is several times as fast.
  const encoding = isAscii(bytes) ? "latin1" : "utf8"
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
  try {
    return JSON.parse(text)
  } catch {
    throw new OddReply(`not JSON: ${text.slice(0, 200).replace(/\s+/g, " ")}`)
  }
}

const blockOf = ({ block, blockHash, at }: ChainLogs["logs"][number]): BlockOfLogs => ({
  number: block,
  hash: blockHash,
  at,
})

const readSound = ({ bytes, range, headers }: RangeAnswer): Said<RangeLogs> => {
  const methods = rangeQuestions(range).map(({ method }) => method)
  const results = resultsOf(methods, parsed(bytes))
  const header = readBlock(range.to, results.at(-1))
  if (header === undefined) throw new OddReply(`${getLogs}: the node does not have block ${range.to} yet`)
  const rows = results.slice(0, -1).flatMap(rowsOf)
  const blocks = headers === undefined ? untimedBlocks(rows) : []
  if (blocks.length > 0) return { _tag: "Untimed", blocks, bytes }
  const read = readLogs(rows, range, new Map(headers?.map((each) => [each.number, each])))
  const [first, last] = [read.logs[0], read.logs.at(-1)]
  const ends = first === undefined || last === undefined ? [] : [blockOf(first), blockOf(last)]
  return { _tag: "Read", value: { ...read, header, ends, isConsistent: isConsistent(read), count: read.logs.length } }
}

/** Reads the answer to the questions about a range. */
export const readRange = (answer: RangeAnswer): Said<RangeLogs> => {
  try {
    return readSound(answer)
  } catch (error) {
    if (error instanceof OddReply) return { _tag: "Odd", detail: error.message }
    if (!(error instanceof RefusedReply)) throw error
    return { _tag: "Refused", method: error.method, code: error.code, detail: error.message }
  }
}
