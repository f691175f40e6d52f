import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { firstComboSub } from "#src/ledger/resolutions/derive.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { checkValues, columnsOf, type FileKind, type RowBatch } from "./fileColumns.ts"
import { type FileValue, MalformedValue } from "./fileTypes.ts"

const notThere: ArrayLike<FileValue> = []

/** Checks the rows of one file, batch after batch. Fails with `MalformedValue`. */
export class RowChecks {
  readonly #kind: FileKind
  readonly #range: BlockRange
  readonly #columns: ReadonlyMap<string, number>
  /** Times of the blocks in seconds; undefined for the file of blocks itself. */
  readonly #times: ReadonlyMap<number, number> | undefined
  readonly #resolved = new Set<FileValue>()
  readonly #exchanges = new Set<FileValue>()
  #before: readonly [block: number, logIndex: number, sub: number] = [-1, -1, -1]

  constructor(kind: FileKind, range: BlockRange, times: ReadonlyMap<number, number> | undefined) {
    this.#kind = kind
    this.#range = range
    this.#times = times
    this.#columns = new Map(columnsOf(kind).map(({ name }, i) => [name, i]))
  }

  #values({ values }: RowBatch, name: string): ArrayLike<FileValue> {
    const index = this.#columns.get(name)
    return index === undefined ? notThere : (values[index] ?? notThere)
  }

  /** Returns the blocks of the rows. */
  check(batch: RowBatch): ArrayLike<FileValue> {
    checkValues(this.#kind, batch)
    const [blocks, times] = [this.#values(batch, "block"), this.#values(batch, "time")]
    const [logs, subs] = [this.#values(batch, "log_index"), this.#values(batch, "sub")]
    for (let row = 0; row < batch.rows; row++) {
      const block = blocks[row] as number
      this.#follow(block, (logs[row] ?? 0) as number, (subs[row] ?? 0) as number)
      if (this.#times !== undefined && this.#times.get(block) !== times[row]) {
        throw new MalformedValue(`block ${block} is missing among the blocks, or has another time`)
      }
    }
    if (this.#kind === "resolution") this.#resolveOnce(this.#values(batch, "condition"))
    if (this.#kind === "fill") this.#knowExchanges(this.#values(batch, "exchange"))
    if (this.#kind === "redemption") this.#pairLists(this.#values(batch, "tokens"), this.#values(batch, "shares"))
    return blocks
  }

  /** Rows are within the blocks, in order, and none is twice. Results of combos have no number of their own. */
  #follow(block: number, logIndex: number, sub: number): void {
    const { from, to } = this.#range
    if (block < from || block > to) throw new MalformedValue(`block ${block} is not within blocks ${from} to ${to}`)
    const [wasBlock, wasLog, wasSub] = this.#before
    const step = block - wasBlock || logIndex - wasLog || sub - wasSub
    if (step < 0 || (step === 0 && sub !== firstComboSub)) {
      throw new MalformedValue(`block ${block}, log ${logIndex} is twice or out of order`)
    }
    this.#before = [block, logIndex, sub]
  }

  #resolveOnce(conditions: ArrayLike<FileValue>): void {
    for (let row = 0; row < conditions.length; row++) {
      const condition = conditions[row] as FileValue
      if (this.#resolved.has(condition)) throw new MalformedValue(`${condition} is resolved twice`)
      this.#resolved.add(condition)
    }
  }

  #pairLists(tokens: ArrayLike<FileValue>, shares: ArrayLike<FileValue>): void {
    const lengthOf = (list: FileValue | undefined) => (list === "" ? 0 : String(list).split(" ").length)
    for (let row = 0; row < tokens.length; row++) {
      if (lengthOf(tokens[row]) !== lengthOf(shares[row])) {
        throw new MalformedValue("tokens and shares are not equally many")
      }
    }
  }

  #knowExchanges(exchanges: ArrayLike<FileValue>): void {
    for (let row = 0; row < exchanges.length; row++) {
      const exchange = exchanges[row] as string
      if (this.#exchanges.has(exchange)) continue
      if (exchangeCode(exchange.slice(2)) < 0) throw new MalformedValue(`${exchange} is no exchange of the venue`)
      this.#exchanges.add(exchange)
    }
  }
}
