import { Effect } from "effect"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Board } from "../Board.ts"
import { count, inScopes, sums, worthOf } from "./count.ts"
import { isCovered } from "./covered.ts"
import { asOf, before, countedOf, withOpen } from "./images.ts"
import { noteRepriced, price, reprice } from "./prices.ts"
import { rebuild } from "./rebuild.ts"
import { retracted } from "./retracted.ts"

/** Of all time: what wallets have made of all their positions, and what the open ones are worth. */
export const standing: Board = {
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
    const tokens = pgArray(
      "int4",
      moves.map(({ token }) => token),
    )
    const scopes = pgArray(
      "int4",
      moves.map(({ scope }) => scope),
    )
    const signs = pgArray(
      "int4",
      moves.map(({ sign }) => sign),
    )
    // What the catalogue has learnt of a token may be its price.
    yield* noteRepriced(sql, sql`select distinct token from unnest(${tokens}) token`)
    const pairs = sql`select wallet, token from position where token = any(${tokens})`
    yield* count(
      sql,
      sql`
        select m.scope, c.wallet, ${sql.literal(sums.map((name) => `m.sign * c.${name} as ${name}`).join(", "))}
        from (${worthOf(sql, asOf(sql, block, pairs), 1)}) c
        join unnest(${tokens}, ${scopes}, ${signs}) m(token, scope, sign) on m.token = c.token`,
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
