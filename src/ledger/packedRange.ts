import { type Amount, shares, usdc } from "#src/domain/amounts.ts"
import type { Fact, Fill } from "#src/domain/Fact.ts"
import type { BlockRecord, DecodedRange } from "./model.ts"

/*
 * History is mostly fills and blocks. Columns cost a fraction of what as many objects cost to send to another thread, and a
 * name that is repeated becomes one string.
 */

interface PackedFills {
  readonly texts: ReadonlyArray<string>
  /** Indexes of texts, `textsPerFill` for each fill. */
  readonly indexes: Int32Array<ArrayBuffer>
  /** `numbersPerFill` for each fill. */
  readonly numbers: Float64Array<ArrayBuffer>
}

interface PackedBlocks {
  /** `numbersPerBlock` for each block. */
  readonly numbers: Float64Array<ArrayBuffer>
  readonly hashes: ReadonlyArray<string>
}

export interface PackedRange extends Pick<DecodedRange, "pairs" | "last"> {
  readonly fills: PackedFills
  readonly blocks: PackedBlocks
  /** Facts of other kinds. */
  readonly others: ReadonlyArray<Fact>
  /** For each fact in order, 1 if it is a fill. */
  readonly areFills: Uint8Array<ArrayBuffer>
}

const textsPerFill = 7
const numbersPerFill = 8
const numbersPerBlock = 3
const none = -1

/** Stores each text once. */
class TextTable {
  readonly all: Array<string> = []
  readonly #indexes = new Map<string, number>()

  indexOf(text: string | undefined): number {
    if (text === undefined) return none
    const known = this.#indexes.get(text)
    if (known !== undefined) return known
    this.#indexes.set(text, this.all.length)
    return this.all.push(text) - 1
  }
}

const packFills = (fills: ReadonlyArray<Fill>): PackedFills => {
  const texts = new TextTable()
  const indexes = new Int32Array(fills.length * textsPerFill)
  const numbers = new Float64Array(fills.length * numbersPerFill)
  let [offset, number] = [0, 0]
  for (const fill of fills) {
    indexes[offset++] = texts.indexOf(fill.tx)
    indexes[offset++] = texts.indexOf(fill.exchange)
    indexes[offset++] = texts.indexOf(fill.orderHash)
    indexes[offset++] = texts.indexOf(fill.maker)
    indexes[offset++] = texts.indexOf(fill.taker)
    indexes[offset++] = texts.indexOf(fill.token)
    indexes[offset++] = texts.indexOf(fill.builder)
    numbers[number++] = fill.block
    numbers[number++] = fill.logIndex
    numbers[number++] = fill.at
    numbers[number++] = fill.shares
    numbers[number++] = fill.usd
    numbers[number++] = fill.fee
    numbers[number++] = fill.feeInShares ? 1 : 0
    numbers[number++] = fill.side === "buy" ? 1 : 0
  }
  return { texts: texts.all, indexes, numbers }
}

const fillAt = ({ texts, indexes, numbers }: PackedFills, index: number): Fill => {
  const [text, number] = [index * textsPerFill, index * numbersPerFill]
  const at = (column: number) => numbers[number + column] as number
  const named = (column: number) => texts[indexes[text + column] as number]
  return {
    kind: "fill",
    block: at(0),
    logIndex: at(1),
    at: at(2),
    tx: named(0) as string,
    exchange: named(1) as string,
    orderHash: named(2) as string,
    maker: named(3) as string,
    taker: named(4),
    side: at(7) === 1 ? "buy" : "sell",
    token: named(5) as string,
    shares: shares(at(3)),
    usd: usdc(at(4)),
    fee: at(5) as Amount,
    feeInShares: at(6) === 1,
    builder: named(6),
  }
}

const packBlocks = (blocks: ReadonlyArray<BlockRecord>): PackedBlocks => {
  const numbers = new Float64Array(blocks.length * numbersPerBlock)
  let offset = 0
  for (const { number, at, logs } of blocks) {
    numbers[offset++] = number
    numbers[offset++] = at
    numbers[offset++] = logs
  }
  return { numbers, hashes: blocks.map(({ hash }) => hash) }
}

const unpackBlocks = ({ numbers, hashes }: PackedBlocks): ReadonlyArray<BlockRecord> =>
  hashes.map((hash, i) => {
    const offset = i * numbersPerBlock
    const [number, at, logs] = [numbers[offset], numbers[offset + 1], numbers[offset + 2]] as [number, number, number]
    return { number, hash, parent: undefined, at, logs }
  })

const isFill = (fact: Fact): fact is Fill => fact.kind === "fill"

export const pack = ({ facts, blocks, pairs, last }: DecodedRange): PackedRange => ({
  pairs,
  last,
  fills: packFills(facts.filter(isFill)),
  blocks: packBlocks(blocks),
  others: facts.filter((fact) => !isFill(fact)),
  areFills: Uint8Array.from(facts, (fact) => (isFill(fact) ? 1 : 0)),
})

/** Buffers that move to another thread without a copy. */
export const transferables = ({ fills, blocks, areFills }: PackedRange) => [
  fills.indexes.buffer,
  fills.numbers.buffer,
  blocks.numbers.buffer,
  areFills.buffer,
]

export const unpack = ({ fills, blocks, others, areFills, pairs, last }: PackedRange): DecodedRange => {
  let [fill, other] = [0, 0]
  const facts = Array.from(areFills, (is): Fact => (is === 1 ? fillAt(fills, fill++) : (others[other++] as Fact)))
  return { facts, blocks: unpackBlocks(blocks), pairs, last }
}
