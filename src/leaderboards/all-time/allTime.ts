import { Effect } from "effect"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import type { Board } from "../Board.ts"
import { retracted } from "../retraction.ts"
import { contributionsOf, count, inScopes, sums } from "./count.ts"
import { hold } from "./holdings.ts"
import { asOf, before, countedOf, isCovered, withOpen } from "./pastPositions.ts"
import { listedTokens, price } from "./prices.ts"
import { rebuild } from "./rebuild.ts"

/** All-time boards: realized P&L of all positions, and the open holdings with their prices. */
export const allTime: Board = {
  rebuild,
  canAdvance: (sql, from, to) => isCovered(sql, from.block, to.block),

  retract: Effect.fnUntraced(function* (sql, { block }) {
    yield* price(sql, sql`select token from leaderboard_retracted_position`)
    const pairs = sql`select wallet, token from leaderboard_retracted_position`
    const is = asOf(sql, block, pairs)
    yield* hold(sql, pairs, is)
    yield* count(
      sql,
      inScopes(sql, sql`${contributionsOf(sql, retracted(sql), -1)} union all ${contributionsOf(sql, is, 1)}`),
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
    const pairs = sql`select wallet, token from position where token = any(${tokens})`
    yield* count(
      sql,
      sql`
        select m.scope, c.wallet, ${sql.literal(sums.map((name) => `m.sign * c.${name} as ${name}`).join(", "))}
        from (${contributionsOf(sql, asOf(sql, block, pairs), 1)}) c
        join ${moved} on m.token = c.token`,
    )
  }),

  advance: Effect.fnUntraced(function* (sql, from, to) {
    const touched = sql`
      select distinct wallet, token from position_undo where block > ${from.block} and block <= ${to.block}`
    yield* price(sql, sql`select token from (${touched}) c`)
    const was = before(sql, from.block, to.block)
    const known = sql`select b.wallet, b.token, ${sql.literal(countedOf("b"))} from (${was}) b where b.shares is not null`
    const is = withOpen(
      sql,
      sql`
        select p.wallet, p.token, ${sql.literal(countedOf("p"))}
        from (${was}) b join position p on p.wallet = b.wallet and p.token = b.token`,
      to.block,
    )
    yield* hold(sql, touched, is)
    yield* count(
      sql,
      inScopes(
        sql,
        sql`
          ${contributionsOf(sql, withOpen(sql, known, from.block), -1)}
          union all ${contributionsOf(sql, is, 1)}`,
      ),
    )
    yield* price(sql, listedTokens(sql))
  }),
}
