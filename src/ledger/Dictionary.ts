import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/Postgres.ts"
import { pgArray } from "#src/platform/pgArray.ts"

/** Gives names their numbers, and new ones to those it has not seen. Names are lower-case hexadecimal digits. */
export type NumbersOf = (names: Iterable<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError>

/** Names that a process knows by heart; the least recently learnt are forgotten first. */
const mostKnown = 200_000

const numbersIn = (sql: SqlClient, table: string, column: string): NumbersOf => {
  const known = new Map<string, number>()
  const learn = (rows: ReadonlyArray<{ readonly id: number; readonly name: string }>) => {
    for (const { id, name } of rows) known.set(name, id)
    if (known.size > mostKnown)
      for (const name of [...known.keys()].slice(0, known.size - mostKnown)) known.delete(name)
  }
  const [into, named] = [sql(table), sql(column)]
  const read = (names: ReadonlyArray<string>) =>
    sql<{ id: number; name: string }>`
      select t.id, n.name from unnest(${pgArray("text", names)}) n(name) join ${into} t on t.${named} = decode(n.name, 'hex')`
  return (names) =>
    Effect.gen(function* () {
      const found = new Map<string, number>()
      const unknown = new Set<string>()
      const note = (name: string) => {
        const id = known.get(name)
        if (id === undefined) unknown.add(name)
        else found.set(name, id)
      }
      for (const name of names) note(name)
      if (unknown.size === 0) return found
      const wanted = [...unknown]
      const there = yield* read(wanted)
      for (const { id, name } of there) found.set(name, id)
      learn(there)
      const fresh = wanted.filter((name) => !found.has(name))
      if (fresh.length === 0) return found
      // A number once given stays, whatever becomes of the transaction that needed it: hence not part of one.
      yield* sql`insert into ${into} (${named})
        select decode(name, 'hex') from unnest(${pgArray("text", fresh)}) n(name) on conflict do nothing`
      const made = yield* read(fresh)
      for (const { id, name } of made) found.set(name, id)
      learn(made)
      return found
    })
}

/** Small numbers for wallets, tokens, conditions and builders, by which everything else refers to them. */
export class Dictionary extends Context.Service<
  Dictionary,
  {
    /** Addresses, 40 digits. */
    readonly wallets: NumbersOf
    /** Token ids, 64 digits. */
    readonly tokens: NumbersOf
    /** Condition ids, 64 digits. */
    readonly conditions: NumbersOf
    /** Builder codes, 64 digits. */
    readonly builders: NumbersOf
  }
>()("presage/ledger/Dictionary") {
  static readonly layer = Layer.effect(
    Dictionary,
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      return Dictionary.of({
        wallets: numbersIn(sql, "wallet", "address"),
        tokens: numbersIn(sql, "token", "hash"),
        conditions: numbersIn(sql, "condition", "hash"),
        builders: numbersIn(sql, "builder", "code"),
      })
    }),
  )
}
