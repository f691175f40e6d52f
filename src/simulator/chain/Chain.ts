import { hash, hexEnding, seedOf } from "../random.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { Millis } from "../world/model.ts"
import type { World } from "../world/World.ts"
import type { Log, LogEncoder } from "./LogEncoder.ts"

/** Selects logs; an undefined part matches everything. */
export interface LogFilter {
  readonly fromBlock: number
  readonly toBlock: number
  readonly addresses: ReadonlySet<string> | undefined
  /** By topic position; undefined matches any topic. */
  readonly topics: ReadonlyArray<ReadonlySet<string> | undefined>
}

const quantity = (value: number) => `0x${value.toString(16)}`

const matches = (log: Log, { addresses, topics }: LogFilter): boolean => {
  if (addresses !== undefined && !addresses.has(log.address)) return false
  // A filter with more topic positions than a log does not match it, even where they are wildcards.
  if (topics.length > log.topics.length) return false
  return topics.every((allowed, i) => allowed === undefined || allowed.has(log.topics[i] ?? ""))
}

/** The last four bytes carry the number, so that a hash can be resolved without a table. */
const encodeHash = (seed: number, number: number, fork: number) =>
  `0x${hexEnding(number ^ seed, 28, seed, number, fork)}`
const numberInHash = (text: string, seed: number) => (Number.parseInt(text.slice(-8), 16) ^ seed) >>> 0

/** The world as blocks, transactions and logs. Replaced blocks get new hashes. */
export class Chain {
  readonly #world: World
  readonly #logs: LogEncoder
  readonly #blockSeed: number
  /** Worlds that begin at different times have different blocks, so their hashes differ too. */
  readonly #hashSeed: number
  readonly #transactionSeed: number
  /** First and last block of every reorganisation so far. */
  readonly #reorgs: Array<readonly [number, number]> = []

  constructor(world: World, logs: LogEncoder, seed: number, genesis: Millis) {
    this.#world = world
    this.#logs = logs
    this.#blockSeed = seedOf(seed, "block hashes")
    this.#hashSeed = hash(this.#blockSeed, genesis)
    this.#transactionSeed = seedOf(seed, "transaction hashes")
  }

  /** The newest block at a moment. */
  headAt(millis: number): number {
    return this.#world.clock.blockAt(millis)
  }

  hashOf(block: number): string {
    let fork = 0
    for (const [from, to] of this.#reorgs) if (block >= from && block <= to) fork += 1
    return encodeHash(this.#hashSeed, block, fork)
  }

  /** The canonical block with this hash, if any. */
  blockByHash(blockHash: string): number | undefined {
    const block = numberInHash(blockHash, this.#hashSeed)
    return this.hashOf(block) === blockHash.toLowerCase() ? block : undefined
  }

  transactionHash(tx: number): string {
    return encodeHash(this.#transactionSeed, tx, 0)
  }

  /** The transaction with this hash, if any. */
  txByHash(transactionHash: string): number | undefined {
    const tx = numberInHash(transactionHash, this.#transactionSeed)
    return tx < this.#world.facts.length && this.transactionHash(tx) === transactionHash.toLowerCase() ? tx : undefined
  }

  /**
   * Replaces the newest blocks by others with the same transactions: most at the same height, some one block later, the
   * last ones possibly in a future block. The order is kept, so that every wallet can still afford its transactions.
   */
  reorg(head: number, depth: number): readonly [number, number] {
    const { block } = this.#world.facts
    const from = head - depth + 1
    const first = block.lowerBound(from - firstBlock)
    const end = block.lowerBound(head - firstBlock + 1)
    this.#reorgs.push([from, head])
    let latest = from - firstBlock
    for (let tx = first; tx < end; tx++) {
      const later = hash(this.#blockSeed, tx, this.#reorgs.length) % 3 === 0 ? 1 : 0
      latest = Math.max(latest, block.get(tx) + later)
      block.set(tx, latest)
    }
    return [from, head]
  }

  /** The transactions of a block, as the range [first, end). */
  txRange(block: number): readonly [number, number] {
    const { block: column } = this.#world.facts
    const height = block - firstBlock
    return [column.lowerBound(height), column.lowerBound(height + 1)]
  }

  /** The logs of each transaction of a block, as JSON arrays. */
  logsJsonByTransaction(block: number): ReadonlyArray<string> {
    const texts = this.logTexts({ fromBlock: block, toBlock: block, addresses: undefined, topics: [] })
    const [first, end] = this.txRange(block)
    let done = 0
    return Array.from({ length: end - first }, (_, i) => {
      const count = this.#logs.logsOf(first + i).length
      done += count
      return `[${texts.slice(done - count, done).join(",")}]`
    })
  }

  /** The matching logs, each as JSON; `removed` marks them as reorganised away. */
  logTexts(filter: LogFilter, removed = false): ReadonlyArray<string> {
    return this.logTextsFor(filter, [filter], removed)[0] ?? []
  }

  /** The same for several filters in one pass; their own block ranges are ignored. */
  logTextsFor(
    { fromBlock, toBlock }: Pick<LogFilter, "fromBlock" | "toBlock">,
    filters: ReadonlyArray<LogFilter>,
    removed = false,
  ): ReadonlyArray<ReadonlyArray<string>> {
    const { facts } = this.#world
    const first = facts.block.lowerBound(fromBlock - firstBlock)
    const end = facts.block.lowerBound(toBlock - firstBlock + 1)
    const found = filters.map((): Array<string> => [])
    let block = -1
    let position = ""
    let logIndex = 0
    let transactionIndex = 0
    for (let tx = first; tx < end; tx++) {
      const height = facts.block.get(tx)
      if (height !== block) {
        block = height
        logIndex = 0
        transactionIndex = 0
        position = this.#positionFields(height + firstBlock)
      }
      let transaction = ""
      for (const log of this.#logs.logsOf(tx)) {
        let text = ""
        for (let i = 0; i < filters.length; i++) {
          if (!matches(log, filters[i] as LogFilter)) continue
          transaction ||= `"transactionHash":"${this.transactionHash(tx)}","transactionIndex":"${quantity(transactionIndex)}",`
          text ||= `{"address":"${log.address}","topics":["${log.topics.join('","')}"],"data":"${log.data}",${position}${transaction}"logIndex":"${quantity(logIndex)}","removed":${removed}}`
          found[i]?.push(text)
        }
        logIndex += 1
      }
      transactionIndex += 1
    }
    return found
  }

  #positionFields(block: number): string {
    const timestamp = quantity(this.#world.clock.timestampOf(block))
    return `"blockNumber":"${quantity(block)}","blockHash":"${this.hashOf(block)}","blockTimestamp":"${timestamp}",`
  }
}
