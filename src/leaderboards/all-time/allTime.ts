import { Effect } from "effect"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import type { Board } from "../Board.ts"
import { retracted } from "../retraction.ts"
import { count, inScopes, sums, worthOf } from "./count.ts"
import { asOf, before, countedOf, isCovered, withOpen } from "./pastPositions.ts"
import { noteRepriced, price, reprice } from "./prices.ts"
import { rebuild } from "./rebuild.ts"

/** All-time boards: realized P&L of all positions, and the value of the open ones. */
export const allTime: Board = {
  rebuild,
  reprice,
  canAdvance: (sql, from, to) => isCovered(sql, from.block, to.block),

  retract: Effect.fnUntraced(function* (sql, { block }) {
    const tokens = sql`select distinct token from leaderboard_retracted_position`
    yield* price(sql, tokens)
    yield* noteRepriced(sql, tokens)
    const pairs = sql`select wallet, token from leaderboard_retracted_position`
    yield* count(
      sql,
      inScopes(sql, sql`${worthOf(sql, retracted(sql), -1)} union all ${worthOf(sql, asOf(sql, block, pairs), 1)}`),
    )
    yield* sql`delete from leaderboard_retracted_position`
  }),

  rescope: Effect.fnUntraced(function* (sql, { block }, moves) {
    const tokens = pgArray("int4", moves, ({ token }) => token)
    const moved = unnest(sql, "m", moves, {
      token: ["int4", ({ token }) => token],
      scope: ["int4", ({ scope }) => scope],
      sign: ["int4", ({ sign }) => sign],
    })
    // A catalogue change of a token may include its price.
    yield* noteRepriced(sql, sql`select distinct token from unnest(${tokens}) token`)
    const pairs = sql`select wallet, token from position where token = any(${tokens})`
    yield* count(
      sql,
      sql`
        select m.scope, c.wallet, ${sql.literal(sums.map((name) => `m.sign * c.${name} as ${name}`).join(", "))}
        from (${worthOf(sql, asOf(sql, block, pairs), 1)}) c
        join ${moved} on m.token = c.token`,
    )
  }),

  advance: Effect.fnUntraced(function* (sql, from, to) {
    const touched = sql`
      select distinct token from position_undo where block > ${from.block} and block <= ${to.block}`
    yield* price(sql, touched)
    yield* noteRepriced(sql, touched)
    const was = before(sql, from.block, to.block)
    const known = sql`select b.wallet, b.token, ${sql.literal(countedOf("b"))} from (${was}) b where b.shares is not null`
    const is = sql`
      select p.wallet, p.token, ${sql.literal(countedOf("p"))}
      from (${was}) b join position p on p.wallet = b.wallet and p.token = b.token`
    yield* count(
      sql,
      inScopes(
        sql,
        sql`
          ${worthOf(sql, withOpen(sql, known, from.block), -1)}
          union all ${worthOf(sql, withOpen(sql, is, to.block), 1)}`,
      ),
    )
  }),
}
