import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { tokenOfHex } from "#src/domain/TokenId.ts"

/** Ids of tokens that a process keeps in memory; they never change. */
const mostKept = 400_000

/** Reads the ids of tokens by their numbers in the dictionary. The returned function knows those that were asked for. */
export const tokenIdStore = (sql: SqlClient, most = mostKept) => {
  const kept = new Map<number, string>()

  return Effect.fnUntraced(function* (numbers: ReadonlyArray<number>) {
    // Of this call alone: while it waits for the store, others may empty what is kept.
    const found = new Map<number, string>()
    const missing = new Set<number>()
    for (const number of numbers) {
      const id = kept.get(number)
      if (id === undefined) missing.add(number)
      else found.set(number, id)
    }
    if (missing.size > 0) {
      const rows = yield* sql<{ id: number; hash: string }>`
        select id, encode(hash, 'hex') as hash from token where id = any(${[...missing]}::int[])`
      if (kept.size + rows.length > most) kept.clear()
      for (const { id, hash } of rows) {
        const token = tokenOfHex(hash)
        kept.set(id, token)
        found.set(id, token)
      }
    }
    return (number: number): string => {
      const id = found.get(number)
      // The place of a token is its outcome, so none may be left out.
      if (id === undefined) throw new Error(`the dictionary has no token ${number}`)
      return id
    }
  })
}
