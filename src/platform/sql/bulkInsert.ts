import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Columns, type ColumnType, type Field, fieldsOf, rowsOf } from "./bulkColumns.ts"

interface Into {
  readonly table: string
  /** What follows the select, such as `on conflict do nothing` or `returning id`. */
  readonly suffix?: string
}

const statement = <A, C>({ table, suffix = "" }: Into, columns: ReadonlyArray<Field<A, C>>, before = 0) => {
  const { names, values, rows, parameters } = rowsOf(columns, before)
  const text = `insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from ${rows} ${suffix}`
  return { text, parameters }
}

/** Inserts many items with one statement. Returns what the suffix returns. */
const inserter = <A, C>(into: Into, columns: ReadonlyArray<Field<A, C>>) => {
  const { text, parameters } = statement(into, columns)
  return <Returned extends object>(sql: SqlClient, items: ReadonlyArray<A>, context: C) =>
    Effect.suspend(() =>
      items.length === 0
        ? Effect.succeed([] as ReadonlyArray<Returned>)
        : sql.unsafe<Returned>(text, parameters(items, context)),
    )
}

export interface BulkTable<Row> extends Into {
  /** Column names and types, in order; the names are the row's keys. */
  readonly columns: { readonly [K in keyof Row & string]: ColumnType }
}

/** Rows that have what is stored as it is. */
export const bulkInsert = <Row extends object>({ columns, ...into }: BulkTable<Row>) => {
  const names = Object.keys(columns) as Array<keyof Row & string>
  const insert = inserter<Row, undefined>(
    into,
    names.map((name) => ({ name, type: columns[name], read: (row) => row[name] })),
  )
  return <Returned extends object = never>(sql: SqlClient, rows: ReadonlyArray<Row>) =>
    insert<Returned>(sql, rows, undefined)
}

export interface BulkColumns<A, C> extends Into {
  readonly columns: Columns<A, C>
}

/** Whatever the columns can be read from, where rows of their own would be too many objects. */
export const bulkInsertFrom = <A, C>({ columns, ...into }: BulkColumns<A, C>) => {
  const insert = inserter(into, fieldsOf(columns))
  return (sql: SqlClient, items: ReadonlyArray<A>, context: C) => insert<never>(sql, items, context)
}

/** Each name's items. */
type ItemsOf<Items> = <K extends keyof Items & string>(name: K) => ReadonlyArray<Items[K]>

/**
 * The same into several tables with one statement, so that Postgres has all of it at once instead of waiting for the next. It
 * names all tables whether they get rows or not: then it is planned once.
 */
export const bulkInsertTogether = <Items extends object, C>(
  tables: {
    readonly [K in keyof Items & string]: BulkColumns<Items[K], C>
  },
) => {
  let before = 0
  const parts = (Object.keys(tables) as Array<keyof Items & string>).map((name) => {
    const into: BulkColumns<Items[typeof name], C> = tables[name]
    const fields = fieldsOf(into.columns)
    const { text, parameters } = statement(into, fields, before)
    before += fields.length
    return {
      text,
      read: (itemsOf: ItemsOf<Items>, context: C) => {
        const items = itemsOf(name)
        return { count: items.length, parameters: parameters(items, context) }
      },
    }
  })
  const text = `with ${parts.map((part, i) => `part_${i} as (${part.text})`).join(", ")} select 1`
  return (sql: SqlClient, itemsOf: ItemsOf<Items>, context: C) =>
    Effect.suspend(() => {
      const read = parts.map((part) => part.read(itemsOf, context))
      if (read.every(({ count }) => count === 0)) return Effect.void
      return Effect.asVoid(
        sql.unsafe(
          text,
          read.flatMap(({ parameters }) => parameters),
        ),
      )
    })
}
