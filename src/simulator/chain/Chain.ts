import { hash, hexEnding, seedOf } from "../random.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { World } from "../world/World.ts"
import type { Log, LogMaker } from "./LogMaker.ts"

/** Which logs are wanted; a missing part matches everything. */
export interface LogFilter {
  readonly fromBlock: number
  readonly toBlock: number
  readonly addresses: ReadonlySet<string> | undefined
  /** By place; undefined matches any topic there. */
  readonly topics: ReadonlyArray<ReadonlySet<string> | undefined>
}

const quantity = (value: number) => `0x${value.toString(16)}`

const matches = (log: Log, { addresses, topics }: LogFilter): boolean => {
  if (addresses !== undefined && !addresses.has(log.address)) return false
  // A filter that names more places than a log has does not match it, even where it allows anything.
  if (topics.length > log.topics.length) return false
  return topics.every((wanted, place) => wanted === undefined || wanted.has(log.topics[place] ?? ""))
}

/** The last four bytes carry the number, so that what a hash belongs to is found without a table. */
const hashWith = (seed: number, number: number, fork: number) => `0x${hexEnding(number ^ seed, 28, seed, number, fork)}`
const numberIn = (text: string, seed: number) => (Number.parseInt(text.slice(-8), 16) ^ seed) >>> 0

/** The world as blocks, transactions and logs. A height that was replaced has another hash, and so have all after it. */
export class Chain {
  readonly #world: World
  readonly #logs: LogMaker
  readonly #blockSeed: number
  readonly #transactionSeed: number
  /** First and last height of every reorganisation so far. */
  readonly #reorgs: Array<readonly [number, number]> = []

  constructor(world: World, logs: LogMaker, seed: number) {
    this.#world = world
    this.#logs = logs
    this.#blockSeed = seedOf(seed, "block hashes")
    this.#transactionSeed = seedOf(seed, "transaction hashes")
  }

  /** The newest block at a moment. */
  headAt(millis: number): number {
    return this.#world.clock.blockAt(millis)
  }

  hashOf(block: number): string {
    let fork = 0
    for (const [from, to] of this.#reorgs) if (block >= from && block <= to) fork += 1
    return hashWith(this.#blockSeed, block, fork)
  }

  /** The block with this hash, unless it was replaced or never was. */
  blockWith(blockHash: string): number | undefined {
    const block = numberIn(blockHash, this.#blockSeed)
    return this.hashOf(block) === blockHash.toLowerCase() ? block : undefined
  }

  transactionHash(act: number): string {
    return hashWith(this.#transactionSeed, act, 0)
  }

  /** The transaction with this hash, if there is one. */
  actWith(transactionHash: string): number | undefined {
    const act = numberIn(transactionHash, this.#transactionSeed)
    return act < this.#world.facts.length && this.transactionHash(act) === transactionHash.toLowerCase()
      ? act
      : undefined
  }

  /**
   * Replaces the newest blocks by others with the same transactions: most at the same height, some one block later, the
   * last ones perhaps in a block yet to come. Their order stays, so that everybody can still afford what they did.
   */
  reorg(head: number, depth: number): readonly [number, number] {
    const { block } = this.#world.facts
    const from = head - depth + 1
    const first = block.lowerBound(from - firstBlock)
    const end = block.lowerBound(head - firstBlock + 1)
    this.#reorgs.push([from, head])
    let latest = from - firstBlock
    for (let act = first; act < end; act++) {
      const later = hash(this.#blockSeed, act, this.#reorgs.length) % 3 === 0 ? 1 : 0
      latest = Math.max(latest, block.get(act) + later)
      block.set(act, latest)
    }
    return [from, head]
  }

  /** Acts of a block, as a range of indices. */
  actsOf(block: number): readonly [number, number] {
    const { block: column } = this.#world.facts
    const height = block - firstBlock
    return [column.lowerBound(height), column.lowerBound(height + 1)]
  }

  /** The logs of each transaction of a block, as JSON arrays in order. */
  logsJsonByTransaction(block: number): ReadonlyArray<string> {
    const texts = this.logTexts({ fromBlock: block, toBlock: block, addresses: undefined, topics: [] })
    const [first, end] = this.actsOf(block)
    let done = 0
    return Array.from({ length: end - first }, (_, i) => {
      const count = this.#logs.logsOf(first + i).length
      done += count
      return `[${texts.slice(done - count, done).join(",")}]`
    })
  }

  /** The matching logs, each as JSON; as a node tells them when their blocks are replaced, if `removed`. */
  logTexts(filter: LogFilter, removed = false): ReadonlyArray<string> {
    return this.logTextsFor(filter, [filter], removed)[0] ?? []
  }

  /** The same for several filters in one pass, whatever blocks they name themselves. */
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
    let place = ""
    let logIndex = 0
    let transactionIndex = 0
    for (let act = first; act < end; act++) {
      const height = facts.block.get(act)
      if (height !== block) {
        block = height
        logIndex = 0
        transactionIndex = 0
        place = this.#placeOf(height + firstBlock)
      }
      let transaction = ""
      for (const log of this.#logs.logsOf(act)) {
        let text = ""
        for (let i = 0; i < filters.length; i++) {
          if (!matches(log, filters[i] as LogFilter)) continue
          transaction ||= `"transactionHash":"${this.transactionHash(act)}","transactionIndex":"${quantity(transactionIndex)}",`
          text ||= `{"address":"${log.address}","topics":["${log.topics.join('","')}"],"data":"${log.data}",${place}${transaction}"logIndex":"${quantity(logIndex)}","removed":${removed}}`
          found[i]?.push(text)
        }
        logIndex += 1
      }
      transactionIndex += 1
    }
    return found
  }

  #placeOf(block: number): string {
    const timestamp = quantity(this.#world.clock.timestampOf(block))
    return `"blockNumber":"${quantity(block)}","blockHash":"${this.hashOf(block)}","blockTimestamp":"${timestamp}",`
  }
}
