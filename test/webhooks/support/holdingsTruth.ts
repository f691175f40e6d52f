import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { holdingsAfter, movesOf } from "#src/webhooks/polling/positionStatusChange/HoldingStore.ts"
import { startFollowing } from "#src/webhooks/polling/positionStatusChange/SeedStore.ts"
import { seedWallet } from "#src/webhooks/polling/positionStatusChange/seedWallet.ts"

interface Row {
  readonly wallet: number
  readonly token: number
  readonly shares: bigint
  readonly status: string
}
const lineOf = ({ wallet, token, shares, status }: Row) => `${wallet} ${token} ${shares} ${status}`
const linesOf = (rows: ReadonlyArray<Row>) => rows.map(lineOf).toSorted()

const allHoldings = Effect.fnUntraced(function* (wallets: ReadonlyArray<number>, since: number) {
  const { sql } = yield* Postgres
  const pairs = yield* sql<{ wallet: number; token: number }>`
    select wallet, token from position where wallet = any(${pgArray("int4", wallets)})`
  return yield* holdingsAfter(
    sql,
    pairs.map((pair) => ({ ...pair, since })),
  )
})

/** Moves add up to positions, now and after any block, as the ledger itself retracts blocks. */
export const assertHoldings = Effect.fnUntraced(function* (head: number) {
  const { sql } = yield* Postgres
  const differing = yield* sql`
    select p.wallet, p.token, p.shares, m.moved from position p
    full join (select wallet, token, sum(delta)::int8 as moved from ${movesOf(sql)} m group by 1, 2) m
    using (wallet, token) where p.shares is distinct from coalesce(m.moved, 0)`
  assert.deepStrictEqual(differing, [])
  const wallets = (yield* sql<{ id: number }>`select distinct wallet as id from position`).map(({ id }) => id)
  for (const block of [head, head - 5, head - 12]) {
    const expected = yield* sql<Row>`
      select h.wallet, h.token, h.shares,
        case when h.shares > 0 then case when r.block is null then 'open' else 'redeemable' end
          when h.redeemed then 'redeemed' else 'closed' end as status
      from (
        select distinct on (wallet, token) wallet, token, shares, redeemed from (
          select block, wallet, token, shares, redeemed from position_undo where block > ${block}::int
          union all select 2147483647, wallet, token, shares, redeemed from position) u
        order by wallet, token, block) h
      join token t on t.id = h.token left join resolution r on r.condition = t.condition and r.block <= ${block}::int
      where h.shares is not null`
    assert.deepStrictEqual(linesOf(yield* allHoldings(wallets, block)), linesOf(expected))
  }
})

/** A wallet is seeded once with its positions at the poller's cursor, whether the ledger knows it or not. */
export const assertSeeding = Effect.fnUntraced(function* (block: number, known: ReadonlyArray<string>) {
  const { sql, tx } = yield* Postgres
  const strangers = [`0x${"ab".repeat(20)}`, `0x${"ab".repeat(20)}`]
  yield* sql`delete from webhook_watched_wallet`
  yield* sql`delete from webhook_position`
  yield* tx(startFollowing(sql, [...known, ...strangers]))
  const waiting = yield* sql<{ n: number }>`select count(*)::int as n from webhook_watched_wallet where not seeded`
  assert.deepStrictEqual(waiting, [{ n: known.length }])
  yield* Effect.forEach([...known, ...strangers], seedWallet)
  const watched = yield* sql<{ block: number; seeded: boolean }>`
    select distinct block, seeded from webhook_watched_wallet`
  assert.deepStrictEqual(watched, [{ block, seeded: true }])
  const seeded = yield* sql<Row>`select wallet, token, shares, status from webhook_position`
  const ids = yield* sql<{ id: number }>`
    select w.id from webhook_watched_wallet x join wallet w on w.address = x.address`
  assert.strictEqual(ids.length, known.length)
  const expected = yield* allHoldings(
    ids.map(({ id }) => id),
    block,
  )
  assert.deepStrictEqual(linesOf(seeded), linesOf(expected))
  assert.isAbove(seeded.length, known.length)
  yield* sql`update webhook_position set shares = shares + 1`
  yield* tx(startFollowing(sql, [...known, ...strangers]))
  yield* Effect.forEach(known, seedWallet)
  const again = yield* sql<Row>`select wallet, token, shares - 1 as shares, status from webhook_position`
  assert.deepStrictEqual(linesOf(again), linesOf(seeded))
})
