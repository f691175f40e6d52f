import { Effect } from "effect"
import * as fc from "fast-check"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** A ledger of a few wallets and tokens, with only the data that boards read. */
export const conditions = 4
export const events = 3
const wallets = 5
const genesis = Date.UTC(2026, 0, 1)
const hour = 3_600_000

export interface Gain {
  readonly wallet: number
  readonly token: number
  readonly amount: number
}

export type Change =
  | { readonly kind: "block"; readonly hours: number; readonly gains: ReadonlyArray<Gain> }
  | { readonly kind: "rollback"; readonly blocks: number }
  | {
      readonly kind: "tags"
      readonly event: number
      readonly tags: ReadonlyArray<string>
      readonly category: string | null
    }
  | { readonly kind: "market"; readonly condition: number; readonly event: number | null }
  | { readonly kind: "pair"; readonly condition: number }
  | { readonly kind: "refresh" }

const anyGain: fc.Arbitrary<Gain> = fc.record({
  wallet: fc.integer({ min: 1, max: wallets }),
  token: fc.integer({ min: 1, max: 2 * conditions }),
  amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -5_000_000_000, max: 5_000_000_000 })),
})

/** Blocks are hours to days apart, so that many events leave each window; a new chain may be earlier than the replaced one. */
export const changes: fc.Arbitrary<ReadonlyArray<Change>> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("block" as const),
        hours: fc.oneof(
          fc.integer({ min: 0, max: 12 }),
          fc.integer({ min: 0, max: 12 }),
          fc.integer({ min: 0, max: 250 }),
        ),
        gains: fc.array(anyGain, { maxLength: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("rollback" as const), blocks: fc.integer({ min: 1, max: 5 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("tags" as const),
        event: fc.integer({ min: 1, max: events }),
        tags: fc.array(fc.constantFrom("a", "b", "c")),
        category: fc.constantFrom(null, "", "x", "y"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("market" as const),
        condition: fc.integer({ min: 1, max: conditions }),
        event: fc.constantFrom(null, 1, 2, 3),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("pair" as const), condition: fc.integer({ min: 1, max: conditions }) }),
    },
    { weight: 4, arbitrary: fc.constant({ kind: "refresh" as const }) },
  ),
  { minLength: 5, maxLength: 40 },
)

export const hashOf = (number: number) => Buffer.alloc(32, number)

/** Resets everything to a chain of one block and tokens that are not in the catalogue. */
export const reset = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`truncate realized_event, position_undo, block, chain_cursor, token, condition, market, event,
    leaderboard_rescoped, leaderboard_state, leaderboard_rolling, leaderboard_count, leaderboard_token, leaderboard_scope, leaderboard_retracted_event cascade`
  yield* sql`insert into condition (id, hash) overriding system value
    select i, int4send(i) from generate_series(1, ${conditions}::int) i`
  yield* sql`insert into token (id, hash) overriding system value
    select i, int4send(i) from generate_series(1, 2 * ${conditions}::int) i`
  yield* sql`insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
    select i, 'e' || i, '', '[]', true, false, false, false, false from generate_series(1, ${events}::int) i`
  yield* sql`insert into block (number, hash, at, logs) values (1, ${hashOf(1)}, ${new Date(genesis)}, 0)`
  yield* sql`insert into chain_cursor (name, block, hash, started_from, head, caught_up_at)
    values ('polygon', 1, ${hashOf(1)}, 1, 1, now())`
})

/** Applies a change; the caller runs refreshes. */
export const makeApply = (lease: Lease) =>
  Effect.fnUntraced(function* (change: Change) {
    const { sql, tx } = yield* Postgres
    const store = yield* Ledger
    const [cursor] = yield* sql<{ block: number; at: Date }>`
      select c.block, b.at from chain_cursor c join block b on b.number = c.block`
    if (cursor === undefined) return
    switch (change.kind) {
      case "block": {
        const number = cursor.block + 1
        const at = new Date(cursor.at.getTime() + change.hours * hour)
        yield* tx(
          Effect.gen(function* () {
            yield* sql`insert into block (number, hash, at, logs) values (${number}, ${hashOf(number)}, ${at}, 1)`
            for (const [i, { wallet, token, amount }] of change.gains.entries())
              yield* sql`insert into realized_event (block, log_index, sub, at, wallet, token, kind, amount)
                values (${number}, ${i}, 0, ${at}, ${wallet}, ${token}, 0, ${BigInt(amount)})`
            // Without these the boards cannot be updated incrementally.
            yield* sql`insert into position_undo (block, wallet, token) select distinct block, wallet, token
              from realized_event where block = ${number}`
            yield* sql`update chain_cursor set block = ${number}, head = ${number}`
          }),
        )
        return
      }
      case "rollback": {
        const fork = Math.max(1, cursor.block - change.blocks)
        if (fork < cursor.block) yield* store.rollback(lease, { number: fork, hash: hashOf(fork).toString("hex") })
        return
      }
      case "tags":
        yield* sql`update event set tags = ${JSON.stringify(change.tags)}::jsonb, category = ${change.category}
          where id = ${change.event}`
        return
      case "market":
        yield* sql`insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
            accepting_orders, neg_risk)
          select coalesce(max(id), 0) + 1, ${change.event}::int, ${change.condition}::int, '[]', 'm', '', '[]', '[]', true, false,
            false, true, false from market`
        return
      case "pair":
        yield* sql`update token set condition = ${change.condition}, outcome = (id + 1) % 2
          where id in (${2 * change.condition - 1}, ${2 * change.condition})`
        return
      case "refresh":
        return
    }
  })
