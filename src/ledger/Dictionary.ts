import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/Postgres.ts"
import { pgArray } from "#src/platform/pgArray.ts"

/** Gives names their numbers, and new ones to those it has not seen. Names are lower-case hexadecimal digits. */
export type NumbersOf = (names: Iterable<string>) => Effect.Effect<ReadonlyMap<string, number>, SqlError>

/** Names that a process knows by heart; the least recently learnt are forgotten first. */
const mostKnown = 100_000

const numbersIn = (sql: SqlClient, table: string, column: string): NumbersOf => {
  const known = new Map<string, number>()
  const learn = (name: string, id: number) => {
    known.set(name, id)
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
  }
  const [into, named] = [sql(table), sql(column)]
  // A number once given stays, whatever becomes of the transaction that needed it: hence not part of one.
  const numbered = (names: ReadonlyArray<string>) =>
    sql<{ id: number; name: Uint8Array }>`
      with given as (select name from unnest(${pgArray(
        "bytea",
        names.map((name) => Buffer.from(name, "hex")),
      )}) n(name)),
      there as (select t.id, n.name from given n join ${into} t on t.${named} = n.name),
      made as (
        insert into ${into} (${named}) select name from given where name not in (select name from there)
        on conflict do nothing returning id, ${named})
      select id, name from there union all select id, ${named} from made`
  return (names) =>
    Effect.gen(function* () {
      const found = new Map<string, number>()
      let unknown: Array<string> = []
      for (const name of new Set(names)) {
        const id = known.get(name)
        if (id === undefined) unknown.push(name)
        else found.set(name, id)
      }
      // In one order, else two who make the same names wait for each other.
      unknown.sort()
      // Again for those that somebody else was making at the same moment.
      while (unknown.length > 0) {
        const rows = yield* numbered(unknown)
        for (const row of rows) {
          // Not the name that was asked for: that is a piece of a whole log, which would be kept with it.
          const name = Buffer.from(row.name).toString("hex")
          found.set(name, row.id)
          learn(name, row.id)
        }
        unknown = unknown.filter((name) => !found.has(name))
      }
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
