import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"

/** Gives names their numbers, and new ones to those it has not seen. Names are lower-case hexadecimal digits. */
export type NumbersOf<Told = void> = (
  names: Iterable<string>,
  told?: Told,
) => Effect.Effect<ReadonlyMap<string, number>, SqlError>

/** Names that a process knows by heart; the least recently learnt are forgotten first. */
const mostKnown = 60_000

/** A column that new names are stored with, and what is in it for each of them. */
type Beside = readonly [column: string, values: ReturnType<typeof pgArray>]

interface Numbered {
  readonly id: number
  readonly name: Uint8Array
  readonly made: boolean
}

/** As many names at once that nobody knows by heart are history. */
const ofHistory = 100

const numbersIn = <Told = void>(
  sql: SqlClient,
  table: string,
  column: string,
  beside: (names: ReadonlyArray<string>, told?: Told) => ReadonlyArray<Beside> = () => [],
) => {
  const known = new Map<string, number>()
  const learn = (name: string, id: number) => {
    known.set(name, id)
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
  }
  const [into, named] = [sql(table), sql(column)]
  const given = (names: ReadonlyArray<string>, told?: Told) => {
    const hashes = pgArray(
      "bytea",
      names.map((name) => Buffer.from(name, "hex")),
    )
    const columns: ReadonlyArray<Beside> = [[column, hashes], ...beside(names, told)]
    const stored = sql.csv(columns.map(([name]) => sql`${sql(name)}`))
    return { stored, rows: sql.csv(columns.map(([name, values]) => sql`unnest(${values}) as ${sql(name)}`)) }
  }
  // A number once given stays, whatever becomes of the transaction that needed it: hence neither is part of one.
  const looked = ({ stored, rows }: ReturnType<typeof given>) => sql<Numbered>`
    with given as (select ${rows}),
    there as (select t.id, g.${named} from given g join ${into} t on t.${named} = g.${named}),
    made as (
      insert into ${into} (${stored}) select ${stored} from given where ${named} not in (select ${named} from there)
      on conflict do nothing returning id, ${named})
    select id, ${named} as name, false as made from there union all select id, ${named}, true from made`
  const made = ({ stored, rows }: ReturnType<typeof given>) => sql<Numbered>`
    insert into ${into} (${stored}) select ${stored} from (select ${rows}) given
    on conflict do nothing returning id, ${named} as name, true as made`

  // To look first takes as long as to make, and when most names of history were new, so will the next be. Where they are not,
  // or may not be, not to look takes a number for each name that is there, and they would run out.
  let mostAreNew = false
  const numbersOf: NumbersOf<Told> = (names, told) =>
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
      const asked = unknown.length
      const isHistory = asked >= ofHistory
      // Again for those that somebody else was making at the same moment, and those that were thought to be new.
      while (unknown.length > 0) {
        const isFirst = unknown.length === asked
        const rows = yield* (isFirst && isHistory && mostAreNew ? made : looked)(given(unknown, told))
        for (const row of rows) {
          // Not the name that was asked for: that is a piece of a whole log, which would be kept with it.
          const name = Buffer.from(row.name).toString("hex")
          found.set(name, row.id)
          learn(name, row.id)
        }
        if (isFirst && isHistory) mostAreNew = rows.filter((row) => row.made).length > 0.9 * asked
        unknown = unknown.filter((name) => !found.has(name))
      }
      return found
    })
  return numbersOf
}

/** To what a token belongs: the number of its condition, and which of the outcomes it is. */
export interface Home {
  readonly condition: number
  readonly outcome: number
}

/** The homes of the tokens of some conditions. */
export const homesIn = (conditions: Iterable<readonly [number: number, tokens: ReadonlyArray<string>]>) => {
  const homes = new Map<string, Home>()
  for (const [condition, tokens] of conditions) {
    tokens.forEach((token, outcome) => {
      homes.set(token, { condition, outcome })
    })
  }
  return homes
}

/** What is known of new tokens goes with them: to note it afterwards takes longer than all else. */
const besideTokens = (names: ReadonlyArray<string>, homes?: ReadonlyMap<string, Home>): ReadonlyArray<Beside> => {
  const column = (type: "int4" | "int2", read: (home: Home) => number) => {
    const each = names.map((name) => homes?.get(name))
    return pgArray(
      type,
      each.map((home) => (home === undefined ? null : read(home))),
    )
  }
  return [
    ["condition", column("int4", ({ condition }) => condition)],
    ["outcome", column("int2", ({ outcome }) => outcome)],
  ]
}

/** Small numbers for wallets, tokens, conditions and builders, by which everything else refers to them. */
export class Dictionary extends Context.Service<
  Dictionary,
  {
    /** Addresses, 40 digits. */
    readonly wallets: NumbersOf
    /** Token ids, 64 digits; `homes` tells of those that may be new. */
    readonly tokens: NumbersOf<ReadonlyMap<string, Home>>
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
        tokens: numbersIn(sql, "token", "hash", besideTokens),
        conditions: numbersIn(sql, "condition", "hash"),
        builders: numbersIn(sql, "builder", "code"),
      })
    }),
  )
}
