import type { Fact, Fill } from "#src/domain/Fact.ts"
import type { Stretch } from "./batches.ts"
import type { KnownBlock } from "./LedgerStore.ts"

/*
 * History is mostly fills and blocks. As columns they go from one thread to another for a fraction of what as many objects
 * would cost, and a name that is mentioned again and again is one text afterwards.
 */

type Numbers = Float64Array<ArrayBuffer>

interface PackedFills {
  readonly texts: ReadonlyArray<string>
  /** Which of the texts, `textsOf` for each fill. */
  readonly places: Int32Array<ArrayBuffer>
  /** `numbersOf` for each fill. */
  readonly numbers: Numbers
}

interface PackedBlocks {
  /** `numbersOfBlock` for each block. */
  readonly numbers: Numbers
  readonly hashes: ReadonlyArray<string>
  readonly parents: ReadonlyArray<string | undefined>
}

export interface PackedStretch extends Pick<Stretch, "pairs" | "last"> {
  readonly fills: PackedFills
  readonly blocks: PackedBlocks
  /** All that are no fills. */
  readonly others: ReadonlyArray<Fact>
  /** 1 for each fact that is a fill, in order. */
  readonly areFills: Uint8Array<ArrayBuffer>
}

const textsOf = 7
const numbersOf = 8
const numbersOfBlock = 3
const none = -1

/** Each text once. */
class Texts {
  readonly all: Array<string> = []
  readonly #places = new Map<string, number>()

  place(text: string | undefined): number {
    if (text === undefined) return none
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.all.length)
    return this.all.push(text) - 1
  }
}

const packFills = (fills: ReadonlyArray<Fill>): PackedFills => {
  const texts = new Texts()
  const places = new Int32Array(fills.length * textsOf)
  const numbers = new Float64Array(fills.length * numbersOf)
  let [place, number] = [0, 0]
  for (const fill of fills) {
    places[place++] = texts.place(fill.tx)
    places[place++] = texts.place(fill.exchange)
    places[place++] = texts.place(fill.orderHash)
    places[place++] = texts.place(fill.maker)
    places[place++] = texts.place(fill.taker)
    places[place++] = texts.place(fill.token)
    places[place++] = texts.place(fill.builder)
    numbers[number++] = fill.block
    numbers[number++] = fill.logIndex
    numbers[number++] = fill.at
    numbers[number++] = fill.shares
    numbers[number++] = fill.usd
    numbers[number++] = fill.fee
    numbers[number++] = fill.feeInShares ? 1 : 0
    numbers[number++] = fill.side === "buy" ? 1 : 0
  }
  return { texts: texts.all, places, numbers }
}

const fillAt = ({ texts, places, numbers }: PackedFills, index: number): Fill => {
  const [text, number] = [index * textsOf, index * numbersOf]
  const at = (offset: number) => numbers[number + offset] as number
  const named = (offset: number) => texts[places[text + offset] as number]
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
    shares: at(3),
    usd: at(4),
    fee: at(5),
    feeInShares: at(6) === 1,
    builder: named(6),
  }
}

const packBlocks = (blocks: ReadonlyArray<KnownBlock>): PackedBlocks => {
  const numbers = new Float64Array(blocks.length * numbersOfBlock)
  let place = 0
  for (const { number, at, logs } of blocks) {
    numbers[place++] = number
    numbers[place++] = at
    numbers[place++] = logs
  }
  return { numbers, hashes: blocks.map(({ hash }) => hash), parents: blocks.map(({ parent }) => parent) }
}

const unpackBlocks = ({ numbers, hashes, parents }: PackedBlocks): ReadonlyArray<KnownBlock> =>
  hashes.map((hash, i) => {
    const place = i * numbersOfBlock
    const [number, at, logs] = [numbers[place], numbers[place + 1], numbers[place + 2]] as [number, number, number]
    return { number, hash, parent: parents[i], at, logs }
  })

const isFill = (fact: Fact): fact is Fill => fact.kind === "fill"

export const pack = ({ facts, known, pairs, last }: Stretch): PackedStretch => ({
  pairs,
  last,
  fills: packFills(facts.filter(isFill)),
  blocks: packBlocks(known),
  others: facts.filter((fact) => !isFill(fact)),
  areFills: Uint8Array.from(facts, (fact) => (isFill(fact) ? 1 : 0)),
})

/** What need not be copied on its way to another thread. */
export const givenAway = ({ fills, blocks, areFills }: PackedStretch) => [
  fills.places.buffer,
  fills.numbers.buffer,
  blocks.numbers.buffer,
  areFills.buffer,
]

export const unpack = ({ fills, blocks, others, areFills, pairs, last }: PackedStretch): Stretch => {
  let [fill, other] = [0, 0]
  const facts = Array.from(areFills, (is): Fact => (is === 1 ? fillAt(fills, fill++) : (others[other++] as Fact)))
  return { facts, known: unpackBlocks(blocks), pairs, last }
}
