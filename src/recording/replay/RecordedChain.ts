import type { Hex } from "viem"
import { decodeFunctionData, decodeFunctionResult, encodeFunctionResult, parseAbi } from "viem/utils"
import type { ChainLine, RawBlock, RawLog } from "../model.ts"

export interface RecordedBlock {
  readonly at: number
  readonly number: number
  readonly hash: string
  readonly raw: RawBlock
  readonly logs: ReadonlyArray<RawLog>
}

const abi = parseAbi(["function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])"])
const functionName = "balanceOfBatch"

const pairsIn = (data: string): ReadonlyArray<string> | undefined => {
  try {
    const { args } = decodeFunctionData({ abi, data: data as Hex })
    const [owners, ids] = args
    return owners.map((owner, i) => `${owner.toLowerCase()} ${ids[i]}`)
  } catch {
    return undefined
  }
}

/**
 * Balances of wallets before their first change in the recording, by contract, wallet and token. The first answer is
 * right for any earlier block, because nothing changed before.
 */
const balancesIn = (lines: ReadonlyArray<ChainLine>) => {
  const balances = new Map<string, bigint>()
  for (const line of lines) {
    if (!("data" in line)) continue
    const pairs = pairsIn(line.data) ?? []
    let values: ReadonlyArray<bigint>
    try {
      values = decodeFunctionResult({ abi, functionName, data: line.result as Hex })
    } catch {
      continue
    }
    pairs.forEach((pair, i) => {
      const key = `${line.to.toLowerCase()} ${pair}`
      if (!balances.has(key) && values[i] !== undefined) balances.set(key, values[i])
    })
  }
  return balances
}

/** The chain as the node of a recording knew it at each moment, with its reorganisations. */
export class RecordedChain {
  readonly earliest: RawBlock | undefined
  /** In the order of their arrival. */
  readonly #arrivals: ReadonlyArray<RecordedBlock>
  readonly #finalized: ReadonlyArray<{ readonly at: number; readonly number: number }>
  readonly #balances: ReadonlyMap<string, bigint>
  readonly #byHash = new Map<string, RecordedBlock>()
  readonly #canonical = new Map<number, RecordedBlock>()
  #arrived = 0
  #head: RecordedBlock | undefined

  constructor(lines: ReadonlyArray<ChainLine>) {
    this.#arrivals = lines.flatMap((line) =>
      "block" in line
        ? [{ at: line.at, number: Number(line.block.number), hash: line.block.hash, raw: line.block, logs: line.logs }]
        : [],
    )
    this.#finalized = lines.flatMap((line) => ("finalized" in line ? [{ at: line.at, number: line.finalized }] : []))
    this.#balances = balancesIn(lines)
    const earliest = lines.find((line) => "earliest" in line)?.earliest
    this.earliest = earliest ?? this.#arrivals[0]?.raw
  }

  get head(): RecordedBlock | undefined {
    return this.#head
  }

  /** When the next block arrives; undefined after the last one. */
  get nextAt(): number | undefined {
    return this.#arrivals[this.#arrived]?.at
  }

  /** Adds the blocks that have arrived by now, and returns them. */
  advance(now: number): ReadonlyArray<RecordedBlock> {
    const from = this.#arrived
    while ((this.nextAt ?? Number.POSITIVE_INFINITY) <= now)
      this.#arrive(this.#arrivals[this.#arrived++] as RecordedBlock)
    return this.#arrivals.slice(from, this.#arrived)
  }

  #arrive(block: RecordedBlock): void {
    this.#byHash.set(block.hash, block)
    for (let number = block.number + 1; this.#canonical.delete(number); number++);
    this.#head = block
    let one: RecordedBlock | undefined = block
    while (one !== undefined && this.#canonical.get(one.number)?.hash !== one.hash) {
      this.#canonical.set(one.number, one)
      one = this.#byHash.get(one.raw.parentHash)
    }
  }

  byNumber(number: number): RecordedBlock | undefined {
    return this.#canonical.get(number)
  }

  byHash(hash: string): RecordedBlock | undefined {
    return this.#byHash.get(hash.toLowerCase())
  }

  /** The newest final block that is recorded. */
  finalized(now: number): RecordedBlock | undefined {
    const known = this.#finalized.findLast(({ at }) => at <= now)
    return known === undefined ? undefined : this.byNumber(known.number)
  }

  /** The result of a call that asks for balances; undefined if one of them is not recorded. */
  balances(to: string, data: string): string | undefined {
    const values = pairsIn(data)?.map((pair) => this.#balances.get(`${to.toLowerCase()} ${pair}`))
    if (values === undefined || values.includes(undefined)) return undefined
    return encodeFunctionResult({ abi, functionName, result: values as Array<bigint> })
  }
}
