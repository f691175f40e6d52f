import { Effect, Option } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { BulkCopy } from "./BulkCopy.ts"
import { type Columns, type ColumnType, type Field, fieldsOf, rowsOf } from "./bulkColumns.ts"

interface Into {
  readonly table: string
  /** Follows the select: `on conflict do nothing`, `returning id`. */
  readonly suffix?: string
}

const statement = <A, C>({ table, suffix = "" }: Into, columns: ReadonlyArray<Field<A, C>>, before = 0) => {
  const { names, values, rows, parameters } = rowsOf(columns, before)
  const text = `insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from ${rows} ${suffix}`
  return { text, parameters }
}

/** Inserts many items with one statement; returns the rows of a `returning` suffix. */
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
  /** Column types by name, in order; the names are the keys of a row. */
  readonly columns: { readonly [K in keyof Row & string]: ColumnType }
}

/** Inserts objects whose properties are the columns. */
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

/** Writes with COPY where it is provided. */
const orCopy = <A>(
  insert: Effect.Effect<A, SqlError>,
  copy: (bulk: BulkCopy["Service"]) => Effect.Effect<void, SqlError>,
): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    Effect.serviceOption(BulkCopy),
    Option.match({ onNone: () => Effect.asVoid(insert), onSome: (bulk) => copy(bulk) }),
  )

/** Inserts items that columns are read from, without creating an object per row. */
export const bulkInsertFrom = <A, C>({ columns, ...into }: BulkColumns<A, C>) => {
  const insert = inserter(into, fieldsOf(columns))
  return (sql: SqlClient, items: ReadonlyArray<A>, context: C) =>
    orCopy(insert<never>(sql, items, context), (bulk) => bulk.copy(into.table, columns, items, context))
}

/** The items of a table, by its name. */
type ItemsOf<Items> = <K extends keyof Items & string>(name: K) => ReadonlyArray<Items[K]>

/**
 * Inserts into several tables with one statement, which saves round trips. The statement names every table, even without
 * rows, so that it is planned once.
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
      copy: (bulk: BulkCopy["Service"], itemsOf: ItemsOf<Items>, context: C) =>
        bulk.copy(into.table, into.columns, itemsOf(name), context),
      read: (itemsOf: ItemsOf<Items>, context: C) => {
        const items = itemsOf(name)
        return { count: items.length, parameters: parameters(items, context) }
      },
    }
  })
  const text = `with ${parts.map((part, i) => `part_${i} as (${part.text})`).join(", ")} select 1`
  const insert = (sql: SqlClient, itemsOf: ItemsOf<Items>, context: C) =>
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
  return (sql: SqlClient, itemsOf: ItemsOf<Items>, context: C) =>
    orCopy(insert(sql, itemsOf, context), (bulk) =>
      Effect.forEach(parts, (part) => part.copy(bulk, itemsOf, context), { discard: true }),
    )
}

export interface BulkUpdate<A> {
  readonly table: string
  /** Columns that identify a row. */
  readonly key: Columns<A, undefined>
  /** Columns to set. */
  readonly columns: Columns<A, undefined>
}

/** Updates many rows with one statement; ignores rows that do not exist. */
export const bulkUpdate = <A>({ table, key, columns }: BulkUpdate<A>) => {
  const { names, values, rows, parameters } = rowsOf(fieldsOf({ ...key, ...columns }))
  const keys = Object.keys(key).length
  const equals = names.map((name, i) => `${name} = ${values[i]}`)
  const text = `update ${table} t set ${equals.slice(keys).join(", ")} from ${rows}
    where ${equals
      .slice(0, keys)
      .map((equal) => `t.${equal}`)
      .join(" and ")}`
  return (sql: SqlClient, items: ReadonlyArray<A>) =>
    Effect.suspend(() =>
      items.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(text, parameters(items, undefined))),
    )
}
