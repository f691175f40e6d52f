import { hexOf, seedOf } from "../random.ts"
import { firstBlock } from "../world/blockClock.ts"
import type { World } from "../world/World.ts"
import type { Log, LogMaker } from "./logs.ts"

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
  return topics.every((wanted, place) => wanted === undefined || wanted.has(log.topics[place] ?? ""))
}

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
    return `0x${hexOf(32, this.#blockSeed, block, fork)}`
  }

  transactionHash(act: number): string {
    return `0x${hexOf(32, this.#transactionSeed, act)}`
  }

  /** Acts of a block, as a range of indices. */
  actsOf(block: number): readonly [number, number] {
    const { block: column } = this.#world.facts
    const height = block - firstBlock
    return [column.lowerBound(height), column.lowerBound(height + 1)]
  }

  /** The matching logs of a range of blocks, as the JSON array that a node answers with. */
  logsJson(filter: LogFilter): string {
    const { facts } = this.#world
    const first = facts.block.lowerBound(filter.fromBlock - firstBlock)
    const end = facts.block.lowerBound(filter.toBlock - firstBlock + 1)
    const parts: Array<string> = []
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
      const made = this.#logs.logsOf(act)
      let transaction = ""
      for (const log of made) {
        if (matches(log, filter)) {
          transaction ||= `"transactionHash":"${this.transactionHash(act)}","transactionIndex":"${quantity(transactionIndex)}",`
          parts.push(
            `{"address":"${log.address}","topics":["${log.topics.join('","')}"],"data":"${log.data}",${place}${transaction}"logIndex":"${quantity(logIndex)}","removed":false}`,
          )
        }
        logIndex += 1
      }
      transactionIndex += 1
    }
    return `[${parts.join(",")}]`
  }

  #placeOf(block: number): string {
    const timestamp = quantity(this.#world.clock.timestampOf(block))
    return `"blockNumber":"${quantity(block)}","blockHash":"${this.hashOf(block)}","blockTimestamp":"${timestamp}",`
  }
}
