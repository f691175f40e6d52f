import { pgArray } from "./pgArray.ts"

/** The TypeScript type of each column type. */
interface Values {
  readonly bool: boolean
  readonly int2: number
  readonly int4: number
  readonly int8: bigint
  /** An integer up to 2^53 - 1 in an int8 column: creating a bigint for each value costs more than all the rest. */
  readonly amount: number
  readonly float8: number
  readonly numeric: string
  readonly text: string
  readonly bytea: Uint8Array
  /** Hexadecimal digits for a bytea column: COPY writes their bytes without a buffer for each value. */
  readonly hex: string
  readonly jsonb: unknown
  readonly uuid: string
  readonly date: string
  readonly timestamptz: Date | number
  readonly "int4[]": ReadonlyArray<number>
  readonly "int8[]": ReadonlyArray<number>
}

export type ColumnType = keyof Values

/** A column type, and how to read the value from an item and a context. */
export type Column<A, C = unknown> = {
  readonly [T in ColumnType]: readonly [type: T, read: (item: A, context: C) => Values[T] | null]
}[ColumnType]

/** Postgres would silently round fractions. */
const requireInteger = (value: unknown) => {
  if (value !== null && !Number.isInteger(value)) throw new RangeError(`${value} is not a whole number`)
  return value
}

const listText = (value: unknown) => (value === null ? null : `{${String(value)}}`)

const bytesOfHex = (value: unknown) => (value === null ? null : Buffer.from(value as string, "hex"))

interface Wire {
  readonly sent: Exclude<ColumnType, "amount" | "hex" | "int4[]" | "int8[]">
  readonly cast: string
  readonly written?: (value: unknown) => unknown
}

const wireOf = (type: ColumnType): Wire => {
  if (type === "amount") return { sent: "float8", cast: "::int8", written: requireInteger }
  if (type === "hex") return { sent: "bytea", cast: "", written: bytesOfHex }
  // unnest would flatten nested arrays, so they are sent as text and cast back.
  if (type === "int4[]" || type === "int8[]") return { sent: "text", cast: `::${type}`, written: listText }
  return { sent: type, cast: "" }
}

export interface Field<A, C> {
  readonly name: string
  readonly type: ColumnType
  readonly read: (item: A, context: C) => unknown
}

/** Columns by name, in order. */
export type Columns<A, C> = Readonly<Record<string, Column<A, C>>>

export const fieldsOf = <A, C>(columns: Columns<A, C>): ReadonlyArray<Field<A, C>> =>
  Object.entries(columns).map(([name, [type, read]]) => ({ name, type, read }))

/**
 * Sends items as rows with one array parameter per column: no limit of 32,767 parameters, one plan for every batch size.
 * Each array is unnested separately, because `from unnest($1, $2, …)` materialises all arrays before the first row, which is
 * a quarter of the time. `before` is the number of preceding parameters.
 */
export const rowsOf = <A, C>(columns: ReadonlyArray<Field<A, C>>, before = 0) => {
  const fields = columns.map(({ name, type, read }) => ({ name: `"${name}"`, read, ...wireOf(type) }))
  const arrays = fields.map(({ name, sent }, i) => `unnest($${before + i + 1}::${sent}[]) as ${name}`).join(", ")
  return {
    names: fields.map(({ name }) => name),
    /** SQL expressions in the order of `names`. */
    values: fields.map(({ name, cast }) => `u.${name}${cast}`),
    rows: `(select ${arrays}) u`,
    parameters: (items: ReadonlyArray<A>, context: C) =>
      fields.map(({ sent, written, read }) => {
        const column = new Array<unknown>(items.length)
        for (let i = 0; i < items.length; i++) {
          const value = read(items[i] as A, context)
          column[i] = written === undefined ? value : written(value)
        }
        return pgArray(sent, column)
      }),
  }
}
