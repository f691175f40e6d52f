import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { TokensOf } from "#src/ledger/positions/applyFacts.ts"
import * as OpeningStore from "#src/ledger/positions/OpeningStore.ts"
import { type PositionRow, positionOf } from "#src/ledger/positions/PositionStore.ts"
import { type MovingTable, readChosenFacts, withSub } from "#src/ledger/readFacts.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Pair, Place } from "./model.ts"

/** The tokens of the conditions of some tokens, by outcome. */
const tokensBeside = Effect.fnUntraced(function* (sql: SqlClient, tokens: ReadonlyArray<number>) {
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token
    where condition in (select condition from token where id = any(${pgArray("int4", tokens)}))`
  const outcomes = new Map<number, Array<number | undefined>>()
  const conditionOf = new Map<number, number>()
  for (const { id, condition, outcome } of rows) {
    const ofCondition = outcomes.get(condition) ?? []
    ofCondition[outcome] = id
    outcomes.set(condition, ofCondition)
    conditionOf.set(id, condition)
  }
  const tokensOf: TokensOf = (condition) => outcomes.get(condition) ?? []
  return { tokensOf, conditionOf }
})

interface Range {
  /** First log. */
  readonly from: Place
  /** Last log. */
  readonly until?: Place | undefined
  readonly limit: number
}

const withinRange = (sql: SqlClient, table: MovingTable, { from, until }: Range): ReadonlyArray<Fragment> => {
  const time = (at: number) =>
    table === "fill" ? sql`${Math.floor(at / 1000)}::int` : sql`${new Date(at)}::timestamptz`
  // The first condition of each lets an index find the place.
  return [
    sql`at >= ${time(from.at)}`,
    sql`(block, log_index) >= (${from.block}::int, ${from.logIndex}::int)`,
    ...(until === undefined
      ? []
      : [sql`at <= ${time(until.at)}`, sql`(block, log_index) <= (${until.block}::int, ${until.logIndex}::int)`]),
  ]
}

/** Facts that move any of these positions, in chain order; of each kind at most as many as the limit. */
export const readFactsOf = Effect.fnUntraced(function* (sql: SqlClient, pairs: ReadonlyArray<Pair>, range: Range) {
  const { tokensOf, conditionOf } = yield* tokensBeside(
    sql,
    pairs.map(({ token }) => token),
  )
  const wallets = pgArray("int4", pairs, ({ wallet }) => wallet)
  const tokens = pgArray("int4", pairs, ({ token }) => token)
  const conditions = pgArray("int4", pairs, ({ token }) => conditionOf.get(token) ?? -1)
  const isOne = (wallet: string, what: string, values: typeof tokens) => {
    const [first] = pairs
    const both = sql.literal(`(${wallet}, ${what})`)
    // For one wallet, so that an index by wallet and one by token can be weighed.
    return pairs.every((pair) => pair.wallet === first?.wallet)
      ? sql`(${sql.literal(wallet)} = ${first?.wallet ?? -1} and ${sql.literal(what)} = any(${values}))`
      : sql`${both} in (select * from unnest(${wallets}, ${values}))`
  }
  const own: Readonly<Record<MovingTable, () => Fragment>> = {
    fill: () => isOne("maker", "token", tokens),
    split: () => isOne("wallet", "condition", conditions),
    merge: () => isOne("wallet", "condition", conditions),
    redemption: () => isOne("wallet", "condition", conditions),
    conversion: () => sql`wallet = any(${wallets}) and (nos && ${tokens} or yeses && ${tokens})`,
    transfer: () => sql`(${isOne("sender", "token", tokens)} or ${isOne("receiver", "token", tokens)})`,
    fee_refund: () => isOne("wallet", "token", tokens),
    stock_change: () => isOne("wallet", "token", tokens),
    resolution: () => sql`condition = any(${conditions})`,
  }
  return {
    tokensOf,
    facts: yield* readChosenFacts(sql, tokensOf, (table) => {
      const order = sql.literal(`at, block, log_index${withSub.has(table) ? ", sub" : ""}`)
      return sql`
        where ${sql.and([own[table](), ...withinRange(sql, table, range)])} order by ${order} limit ${range.limit}`
    }),
  }
})

/** What positions were before the first fact that is left: those of dropped facts, and shares from before the ledger. */
export const readBeginnings = Effect.fnUntraced(function* (sql: SqlClient, pairs: ReadonlyArray<Pair>) {
  const wallets = pairs.map(({ wallet }) => wallet)
  const tokens = pairs.map(({ token }) => token)
  const base = yield* sql<PositionRow>`
    select b.* from unnest(${pgArray("int4", wallets)}, ${pgArray("int4", tokens)}) w(wallet, token)
      join position_base b using (wallet, token)
    where exists (select from ledger_coverage where dropped_before is not null)`
  return { base: base.map(positionOf), openings: yield* OpeningStore.of(sql, wallets, tokens) }
})

/** Stored positions of a wallet. */
export const readPositions = (sql: SqlClient, wallet: number, tokens: ReadonlyArray<number>) =>
  Effect.map(
    sql<PositionRow>`select * from position where wallet = ${wallet} and token = any(${pgArray("int4", tokens)})`,
    (rows) => rows.map(positionOf),
  )
