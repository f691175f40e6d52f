import { Effect } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { isCombo } from "#src/domain/comboIds.ts"
import { makePartitionsAt } from "#src/ledger/fillPartitions.ts"
import type { TransactionCollector } from "#src/ledger/transactionsByBlock.ts"
import type { BulkCopy } from "#src/platform/sql/BulkCopy.ts"
import type { Columns } from "#src/platform/sql/bulkColumns.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type RowBatch, valuesIn } from "./fileColumns.ts"
import { type FileType, type FileValue, types } from "./fileTypes.ts"

const none = -1

/** The distinct texts of columns, and which of them each row has. */
class DistinctTexts {
  readonly #indexes = new Map<string, number>()

  indexesOf(values: ArrayLike<FileValue>): Int32Array {
    const indexes = new Int32Array(values.length)
    for (let row = 0; row < values.length; row++) {
      const text = values[row] as string | null
      const known = text === null ? none : this.#indexes.get(text)
      indexes[row] = known ?? this.#indexes.size
      if (known === undefined) this.#indexes.set(text as string, this.#indexes.size)
    }
    return indexes
  }

  /** What the texts say as values of their column. */
  read(type: FileType): ReadonlyArray<string> {
    return Array.from(this.#indexes.keys(), (text) => type.read(text) as string)
  }
}

/** By row; ids are 0 where there is no name. */
interface FillColumns {
  readonly shares: ArrayLike<FileValue>
  readonly usd: ArrayLike<FileValue>
  readonly fee: ArrayLike<FileValue>
  readonly blocks: ArrayLike<number>
  readonly logs: ArrayLike<number>
  readonly times: ArrayLike<number>
  readonly makers: ArrayLike<number>
  readonly takers: ArrayLike<number>
  readonly tokens: ArrayLike<number>
  readonly builders: ArrayLike<number>
  readonly exchanges: ArrayLike<number>
  readonly sides: ArrayLike<FileValue>
  readonly orderHashes: ArrayLike<FileValue>
}

/** Rows of the table, which `factRows.ts` describes for facts. */
const columns: Columns<number, FillColumns> = {
  shares: ["amount", (row, { shares }) => Number(shares[row])],
  usd: ["amount", (row, { usd }) => Number(usd[row])],
  fee: ["amount", (row, { fee }) => Number(fee[row])],
  block: ["int4", (row, { blocks }) => blocks[row] as number],
  log_index: ["int4", (row, { logs }) => logs[row] as number],
  at: ["int4", (row, { times }) => times[row] as number],
  maker: ["int4", (row, { makers }) => makers[row] as number],
  taker: ["int4", (row, { takers }) => takers[row] as number],
  token: ["int4", (row, { tokens }) => tokens[row] as number],
  builder: ["int4", (row, { builders }) => builders[row] as number],
  exchange: ["int2", (row, { exchanges }) => exchanges[row] as number],
  is_sale: ["bool", (row, { sides }) => sides[row] === "sell"],
  order_hash: ["hex", (row, { orderHashes }) => (orderHashes[row] as string).slice(2)],
}

/** The rows of fills up to a block; those of combos have rows in further tables, and are apart. */
const splitRows = (blocks: ArrayLike<number>, until: number, isOfCombo: (row: number) => boolean) => {
  const rows: Array<number> = []
  const combos: Array<number> = []
  for (let row = 0; row < blocks.length; row++) {
    if ((blocks[row] as number) <= until) (isOfCombo(row) ? combos : rows).push(row)
  }
  return { rows, combos }
}

/** The fills of some rows of a file up to a block, and the names in them. Fails with `MalformedValue`. */
export const readFills = (batch: RowBatch, until: number) => {
  const column = (name: string) => valuesIn("fill", batch, name)
  const numbers = (name: string) => column(name) as ArrayLike<number>
  const [wallets, tokens] = [new DistinctTexts(), new DistinctTexts()]
  const [builders, exchanges] = [new DistinctTexts(), new DistinctTexts()]
  const indexes = {
    makers: wallets.indexesOf(column("maker")),
    takers: wallets.indexesOf(column("taker")),
    tokens: tokens.indexesOf(column("token")),
    builders: builders.indexesOf(column("builder")),
  }
  const exchanged = exchanges.indexesOf(column("exchange"))
  const names = {
    wallets: wallets.read(types.address),
    tokens: tokens.read(types.token),
    builders: builders.read(types.name),
  }
  const codes = exchanges.read(types.address).map(exchangeCode)
  const values = {
    shares: column("shares"),
    usd: column("usd"),
    fee: column("fee"),
    blocks: numbers("block"),
    logs: numbers("log_index"),
    times: numbers("time"),
    exchanges: exchanged.map((index) => codes[index] as number),
    sides: column("side"),
    orderHashes: column("order_hash"),
  }
  const ofCombos = names.tokens.map(isCombo)
  const split = splitRows(values.blocks, until, (row) => ofCombos[indexes.tokens[row] as number] === true)
  return { ...split, indexes, names, values, hashes: column("transaction_hash") }
}

type ReadFills = ReturnType<typeof readFills>

/** The id of each row's name, or 0. */
const idsOf = (indexes: Int32Array, names: ReadonlyArray<string>, found: ReadonlyMap<string, number>) => {
  const ids = names.map((name) => found.get(name) as number)
  return indexes.map((index) => (index === none ? 0 : (ids[index] as number)))
}

/** Ids outlive a transaction, so other connections than that of the copy create them. */
export const fillColumns = Effect.fnUntraced(function* ({ rows, indexes, names, values }: ReadFills) {
  const { sql } = yield* Postgres
  const dictionary = yield* Dictionary
  yield* makePartitionsAt(
    sql,
    rows.map((row) => (values.times[row] as number) * 1000),
  )
  const wallets = yield* dictionary.wallets(names.wallets)
  const columns: FillColumns = {
    ...values,
    makers: idsOf(indexes.makers, names.wallets, wallets),
    takers: idsOf(indexes.takers, names.wallets, wallets),
    tokens: idsOf(indexes.tokens, names.tokens, yield* dictionary.tokens(names.tokens)),
    builders: idsOf(indexes.builders, names.builders, yield* dictionary.builders(names.builders)),
  }
  return columns
})

/**
 * Writes fills straight from the columns of a file: a fact for each of them would take more time than the rest of what an
 * import does with it.
 */
export const copyFills = (bulk: BulkCopy["Service"], { rows }: ReadFills, from: FillColumns) =>
  bulk.copy("fill", columns, rows, from)

export const collectTransactions = (
  into: TransactionCollector,
  { rows, hashes, values: { blocks, logs } }: ReadFills,
): void => {
  let before = none
  for (const row of rows) {
    const isSame = before !== none && hashes[row] === hashes[before] && blocks[row] === blocks[before]
    if (!isSame) into.addFact(blocks[row] as number, logs[row] as number, (hashes[row] as string).slice(2))
    before = row
  }
}
