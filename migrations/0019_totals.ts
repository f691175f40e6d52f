import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * A sum that stays the integer that it is a sum of, and fails where it would not fit. That of `sum` is made of numbers of any
 * size, which takes twice as long and many times the memory where there are millions of sums.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const type of ["int4", "int8"]) {
    yield* sql.unsafe(`
      create aggregate total(${type}) (
        sfunc = ${type}pl, stype = ${type}, initcond = '0', combinefunc = ${type}pl, parallel = safe)`)
  }
})
