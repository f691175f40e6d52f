import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import * as Extension from "./schema.ts"

const pairsPerRequest = 2_000

/**
 * Sums up what the added blocks changed. What wallets held before them is what they held after them, less the change.
 * Must run after `enter`.
 */
const collectChanges = Effect.fnUntraced(function* (sql: SqlClient, first: number, startedFrom: number) {
  yield* sql`
    create table change as
    select wallet, token, sum(shares)::int8 as shares
    from (${shareChanges(sql, { from: first, to: startedFrom - 1 })}) c group by wallet, token`
  yield* sql`alter table change add primary key (token, wallet)`
})

/**
 * Takes over the stored opening balances, less the change. The follower stores more of them meanwhile, so this is repeated
 * before facts are applied. `present` is the schema of the present tables. Must run after `enter`.
 */
const takeStored = (sql: SqlClient, present: string) => sql`
  insert into opening_balance (wallet, token, shares)
  select wallet, token, o.shares - coalesce(c.shares, 0)
  from ${sql(present)}.opening_balance o left join change c using (wallet, token)
  where o.shares is distinct from coalesce(c.shares, 0)
  on conflict (token, wallet) do update set shares = excluded.shares`

/**
 * Pairs without a present position are left to the node. All others held what is stored, or nothing. Must run after
 * `enter`.
 */
const openKnown = Effect.fnUntraced(function* (sql: SqlClient, present: string) {
  yield* sql`
    create table unknown_opening as
    select c.wallet, c.token from change c where not exists (
      select from ${sql(present)}.position p where p.wallet = c.wallet and p.token = c.token)`
  yield* sql`alter table unknown_opening add primary key (token, wallet)`
  yield* sql`
    insert into opening_balance (wallet, token, shares)
    select c.wallet, c.token, -c.shares from change c
    where c.shares <> 0
      and not exists (select from unknown_opening u where u.wallet = c.wallet and u.token = c.token)
      and not exists (
        select from ${sql(present)}.opening_balance o where o.wallet = c.wallet and o.token = c.token)`
  yield* takeStored(sql, present)
})

interface Pair {
  readonly wallet_id: number
  readonly token_id: number
  readonly wallet: string
  readonly token: string
}

interface BalanceAnswer extends Pair {
  readonly balance: bigint | undefined
}

const nextPairs = (sql: SqlClient) =>
  sql<Pair & { block: number }>`
    select c.wallet as wallet_id, c.token as token_id, encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token,
      n.block
    from (select wallet, token from unknown_opening limit ${pairsPerRequest}) c
      join wallet w on w.id = c.wallet join token t on t.id = c.token cross join chain_cursor n`

/** A pair that has been traded meanwhile has a position, whose opening balance is stored. */
const openAnswered = Effect.fnUntraced(function* (
  sql: SqlClient,
  present: string,
  answers: ReadonlyArray<BalanceAnswer>,
) {
  const balances = unnest(sql, "b", answers, {
    wallet: ["int4", ({ wallet_id }) => wallet_id],
    token: ["int4", ({ token_id }) => token_id],
    shares: ["int8", ({ balance }) => balance ?? null],
  })
  yield* sql`
    insert into opening_balance (wallet, token, shares)
    select c.wallet, c.token, held.shares - c.shares
    from ${balances} join change c on c.wallet = b.wallet and c.token = b.token
      left join ${sql(present)}.position p on p.wallet = c.wallet and p.token = c.token
      left join ${sql(present)}.opening_balance o on o.wallet = c.wallet and o.token = c.token
      cross join lateral (
        select case when p.wallet is null then b.shares when o.wallet is null then 0 else o.shares end as shares) held
    where held.shares is distinct from c.shares
    on conflict (token, wallet) do update set shares = excluded.shares`
  yield* sql`delete from unknown_opening u using ${balances} where u.wallet = b.wallet and u.token = b.token`
})

/** Determines what wallets held before the first block of an extension. Resumes where an earlier run stopped. */
export const openBalances = Effect.fnUntraced(function* (lease: Lease, first: number, isComplete: boolean) {
  const { sql } = yield* Postgres
  const node = yield* ChainNode
  const present = yield* Extension.presentSchema(sql)

  // Nobody held anything before the venue.
  if (isComplete) {
    yield* lease.tx(Effect.andThen(Extension.enter(sql), Extension.setOpened(sql)))
    return
  }

  yield* lease.tx(
    Effect.gen(function* () {
      yield* Extension.enter(sql)
      const isCollected = yield* sql`select 1 where to_regclass('change') is not null`
      if (isCollected.length > 0) return
      const [cursor] = yield* sql<{ started_from: number }>`select started_from from chain_cursor`
      if (cursor === undefined) return
      yield* collectChanges(sql, first, cursor.started_from)
      yield* openKnown(sql, present)
    }),
    // It reads all facts of history.
    "1 hour",
  )

  const askNext = Effect.gen(function* () {
    const pairs = yield* lease.tx(Effect.andThen(Extension.enter(sql), nextPairs(sql)))
    const block = pairs[0]?.block
    if (block === undefined) return false
    const balances = yield* node
      .balances(block, pairs)
      .pipe(Effect.catchTag("StateUnavailable", () => Effect.succeed([] as ReadonlyArray<bigint>)))
    const answers = pairs.map((pair, i): BalanceAnswer => ({ ...pair, balance: balances[i] }))
    yield* lease.tx(Effect.andThen(Extension.enter(sql), openAnswered(sql, present, answers)))
    return true
  })
  yield* Effect.repeat(askNext, { while: (more) => more })
  yield* lease.tx(Effect.andThen(Extension.enter(sql), Extension.setOpened(sql)))
})

/** Takes over the opening balances that the follower has stored since. Must run before `enter`. */
export const takeNewOpenings = Effect.fnUntraced(function* (sql: SqlClient) {
  const present = yield* Extension.presentSchema(sql)
  yield* Extension.enter(sql)
  // None are needed if the extension begins with the venue.
  const isNeeded = yield* sql`select 1 where to_regclass('change') is not null`
  if (isNeeded.length > 0) yield* takeStored(sql, present)
})
