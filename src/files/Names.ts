import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { growingCache } from "#src/platform/growingCache.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

const maxCached = 200_000

/** Names of one kind, by id. */
export interface NamesOf {
  /** Reads names that are not cached. */
  readonly load: (sql: SqlClient, ids: Iterable<number | null>) => Effect.Effect<void, SqlError>
  /** The name of an id of the last load, in hexadecimal digits. */
  readonly get: (id: number) => string
}

export interface Names {
  readonly wallet: NamesOf
  readonly token: NamesOf
  readonly condition: NamesOf
  readonly builder: NamesOf
}

const namesOf = (table: string, column: string): NamesOf => {
  const cache = growingCache<number, string>(maxCached)
  let loaded = new Map<number, string>()
  return {
    load: Effect.fnUntraced(function* (sql, ids) {
      const next = new Map<number, string>()
      const missing: Array<number> = []
      for (const id of new Set(ids)) {
        if (id === null) continue
        const name = loaded.get(id) ?? cache.get(id)
        if (name === undefined) missing.push(id)
        else next.set(id, name)
      }
      if (missing.length > 0) {
        const rows = yield* sql<{ id: number; name: string }>`
          select id, encode(${sql(column)}, 'hex') as name from ${sql(table)} where id = any(${pgArray("int4", missing)})`
        for (const { id, name } of rows) {
          next.set(id, name)
          cache.set(id, name)
        }
      }
      loaded = next
    }),
    get: (id) => {
      const name = loaded.get(id)
      if (name === undefined) throw new Error(`${table} ${id} has no name`)
      return name
    },
  }
}

export const makeNames = (): Names => ({
  wallet: namesOf("wallet", "address"),
  token: namesOf("token", "hash"),
  condition: namesOf("condition", "hash"),
  builder: namesOf("builder", "code"),
})
