import { moduleOperations } from "#src/domain/ComboKind.ts"
import type { Fact, FactKind, Redemption } from "#src/domain/Fact.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { type FileType, type FileValue, MalformedValue, types } from "./fileTypes.ts"

/** The outcome of a token. */
export interface TokenRecord {
  readonly token: string
  readonly condition: string
  readonly outcome: number
}

/** Rows that are written, read and checked at once. */
export const rowsPerBatch = 20_000

/** What one file holds. */
export type FileKind = FactKind | "block" | "token"
export const fileKinds: ReadonlyArray<FileKind> = ["block", ...factKinds, "token"]

interface Records {
  readonly block: BlockRecord
  readonly token: TokenRecord
}
export type RecordOf<K extends FileKind> = K extends keyof Records ? Records[K] : Extract<Fact, { readonly kind: K }>

/** A column, and the property of the record that it holds. */
export interface FileColumn {
  readonly name: string
  readonly property: string
  readonly type: FileType
  /** Files of earlier versions lack it. */
  readonly isLater: boolean
}

type Listed = Readonly<Record<string, readonly [property: string, type: FileType]>>

const { int, seconds, bool, address, optionalAddress, hash, name, optionalName, token, tokens, numbers } = types
const { amount, signed, choice, optionalChoice } = types

const place: Listed = {
  block: ["block", int],
  log_index: ["logIndex", int],
  time: ["at", seconds],
  transaction_hash: ["tx", hash],
}
const withSub: Listed = { ...place, sub: ["sub", int] }
const pair: Listed = {
  ...place,
  wallet: ["wallet", address],
  condition: ["condition", name],
  amount: ["amount", amount],
}
const fee: Listed = {
  ...place,
  token: ["token", token],
  in_shares: ["inShares", bool],
  amount: ["amount", amount],
  order_hash: ["orderHash", hash],
}

const listed: Readonly<Record<FileKind, Listed>> = {
  block: { block: ["number", int], hash: ["hash", hash], time: ["at", seconds], logs: ["logs", int] },
  token: { token: ["token", token], condition: ["condition", name], outcome: ["outcome", int] },
  fill: {
    ...place,
    exchange: ["exchange", address],
    order_hash: ["orderHash", hash],
    maker: ["maker", address],
    taker: ["taker", optionalAddress],
    side: ["side", choice("buy", "sell")],
    token: ["token", token],
    shares: ["shares", amount],
    usd: ["usd", amount],
    fee: ["fee", amount],
    fee_in_shares: ["feeInShares", bool],
    builder: ["builder", optionalName],
  },
  split: pair,
  merge: pair,
  redemption: {
    ...place,
    wallet: ["wallet", address],
    condition: ["condition", name],
    tokens: ["tokens", tokens],
    shares: ["shares", numbers],
    payout: ["payout", amount],
  },
  conversion: {
    ...place,
    wallet: ["wallet", address],
    neg_risk_market: ["negRiskMarket", optionalName],
    questions: ["questions", numbers],
    given_tokens: ["nos", tokens],
    received_tokens: ["yeses", tokens],
    amount: ["amount", amount],
    received: ["received", amount],
    paid: ["paid", signed],
    operation: ["operation", optionalChoice(...moduleOperations)],
  },
  transfer: {
    ...withSub,
    sender: ["sender", address],
    receiver: ["receiver", address],
    token: ["token", token],
    shares: ["shares", amount],
  },
  fee_charge: { ...fee, receiver: ["receiver", address], usd: ["usd", amount] },
  fee_refund: { ...fee, wallet: ["wallet", address] },
  stock_change: {
    ...withSub,
    wallet: ["wallet", address],
    token: ["token", token],
    shares: ["shares", signed],
    paid: ["paid", signed],
  },
  collateral_flow: { ...place, wallet: ["wallet", address], amount: ["amount", signed] },
  maker_payment: {
    ...place,
    wallet: ["wallet", address],
    purpose: ["purpose", choice("reward", "rebate")],
    amount: ["amount", amount],
  },
  resolution: { ...withSub, condition: ["condition", name], payouts: ["payouts", numbers] },
  combo: { ...place, condition: ["condition", name], legs: ["legs", tokens] },
  condition_rename: { ...place, condition: ["condition", name], legacy: ["legacy", name] },
}

/** Columns that files of earlier versions lack: optional ones, after all others. */
const later: Partial<Record<FileKind, string>> = { conversion: "operation" }

export const columnsOf = (kind: FileKind): ReadonlyArray<FileColumn> =>
  Object.entries(listed[kind]).map(([column, [property, type]]) => ({
    name: column,
    property,
    type,
    isLater: column === later[kind],
  }))

/** The columns of a file with these names: all, or those of earlier versions. Undefined if they are others. */
export const columnsNamed = (columns: ReadonlyArray<FileColumn>, names: string) =>
  [columns, columns.filter(({ isLater }) => !isLater)].find((all) => all.map(({ name }) => name).join() === names)

/** Adds the columns that a file of an earlier version lacks. */
export const withAllColumns = (columns: ReadonlyArray<FileColumn>, { rows, values }: RowBatch): RowBatch => ({
  rows,
  values: [...values, ...columns.slice(values.length).map(() => new Array<FileValue>(rows).fill(null))],
})

type Flat = Record<string, unknown>

/** Redeemed shares are two columns. */
const flat = (kind: FileKind, record: object): Flat => {
  if (kind !== "redemption") return record as Flat
  const { redeemed, ...rest } = record as Redemption
  return { ...rest, tokens: redeemed.map((each) => each.token), shares: redeemed.map(({ shares }) => shares) }
}

const nested = (kind: FileKind, record: Flat): object => {
  if (kind === "split" || kind === "merge") return { ...record, tokens: [] }
  if (kind !== "redemption") return record
  const {
    tokens: redeemed,
    shares,
    ...rest
  } = record as { tokens: ReadonlyArray<string>; shares: ReadonlyArray<number> }
  return { ...rest, redeemed: redeemed.map((each, i) => ({ token: each, shares: shares[i] })) }
}

/** The values of records by column. */
export const valuesOf = (kind: FileKind, records: ReadonlyArray<object>): ReadonlyArray<Array<FileValue>> => {
  const columns = columnsOf(kind)
  const values = columns.map(() => new Array<FileValue>(records.length))
  records.forEach((record, row) => {
    const from = flat(kind, record)
    columns.forEach(({ property, type }, i) => {
      ;(values[i] as Array<FileValue>)[row] = type.write(from[property] as never)
    })
  })
  return values
}

/** Some rows of a file, by column. */
export interface RowBatch {
  readonly rows: number
  readonly values: ReadonlyArray<ArrayLike<FileValue>>
}

/** The values of a column. */
export const valuesIn = (kind: FileKind, { values }: RowBatch, name: string): ArrayLike<FileValue> =>
  values[columnsOf(kind).findIndex((column) => column.name === name)] ?? []

/** Calls `use` with every value of a column. */
const forEachValue = (
  { name: column, type }: FileColumn,
  values: ArrayLike<FileValue>,
  isChecked: boolean,
  use: (value: unknown, row: number) => void,
): void => {
  const read = isChecked ? (type.readChecked ?? type.read) : type.read
  try {
    for (let row = 0; row < values.length; row++) use(read(values[row] as FileValue), row)
  } catch (error) {
    if (error instanceof MalformedValue) error.message = `${column}: ${error.message}`
    throw error
  }
}

/** Fails with `MalformedValue` if a value is not of its column's type. */
export const checkValues = (kind: FileKind, { values }: RowBatch): void => {
  columnsOf(kind).forEach((column, i) => {
    forEachValue(column, values[i] as ArrayLike<FileValue>, false, () => undefined)
  })
}

/** The records of rows whose values have been checked. Splits and merges have no tokens: they follow from the condition. */
export const recordsOf = <K extends FileKind>(kind: K, { rows, values }: RowBatch): Array<RecordOf<K>> => {
  const isFact = kind !== "block" && kind !== "token"
  const records = Array.from({ length: rows }, (): Flat => (isFact ? { kind } : {}))
  columnsOf(kind).forEach((column, i) => {
    const { property } = column
    forEachValue(column, values[i] as ArrayLike<FileValue>, true, (value, row) => {
      ;(records[row] as Flat)[property] = value
    })
  })
  const isNested = kind === "redemption" || kind === "split" || kind === "merge"
  return (isNested ? records.map((record) => nested(kind, record)) : records) as Array<RecordOf<K>>
}

/** Only these rows of a batch. */
export const onlyRows = ({ values }: RowBatch, rows: ReadonlyArray<number>): RowBatch => ({
  rows: rows.length,
  values: values.map((column) => rows.map((row) => column[row] as FileValue)),
})
