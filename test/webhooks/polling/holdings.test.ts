import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { holdingsAfter } from "#src/webhooks/polling/positions/HoldingStore.ts"
import { movesOf } from "#src/webhooks/polling/positions/MoveStore.ts"
import { seedWatched } from "#src/webhooks/polling/positions/seed.ts"
import { ledger } from "#test/ledger/following.ts"
import { livedThrough } from "#test/positions/support/lived.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const stores = ledger.pipe(Layer.provideMerge(testFoundation({ "event-log.retention": "3650d" })))

interface Row {
  readonly wallet: number
  readonly token: number
  readonly shares: bigint
  readonly status: string
}
const lineOf = ({ wallet, token, shares, status }: Row) => `${wallet} ${token} ${shares} ${status}`
const linesOf = (rows: ReadonlyArray<Row>) => rows.map(lineOf).toSorted()

layer(stores, { excludeTestServices: true })("Moves of shares", (it) => {
  it.effect("add up to the positions, now and after any block, and a wallet is seeded once with where it stands", () =>
    Effect.gen(function* () {
      const { simulation } = yield* livedThrough(71, { scale: "tiny" })
      const { sql, tx } = yield* Postgres
      const sums = yield* sql<{ wallet: number; token: number; moved: bigint | null; shares: bigint | null }>`
        select p.wallet, p.token, p.shares, m.moved from position p
        full join (select wallet, token, sum(delta)::int8 as moved from ${movesOf(sql)} m group by 1, 2) m
        using (wallet, token) where p.shares is distinct from coalesce(m.moved, 0)`
      assert.deepStrictEqual(sums, [])

      const wallets = (yield* sql<{ id: number }>`select distinct wallet as id from position`).map(({ id }) => id)
      for (const block of [simulation.head, simulation.head - 5, simulation.head - 12]) {
        const expected = yield* sql<Row>`
          select h.wallet, h.token, h.shares, case when h.shares > 0 then case when r.block is null then 'open' else 'redeemable' end
            when h.redeemed then 'redeemed' else 'closed' end as status
          from (
            select distinct on (wallet, token) wallet, token, shares, redeemed from (
              select block, wallet, token, shares, redeemed from position_undo where block > ${block}::int
              union all select 2147483647, wallet, token, shares, redeemed from position) u
            order by wallet, token, block) h
          join token t on t.id = h.token left join resolution r on r.condition = t.condition and r.block <= ${block}::int
          where h.shares is not null`
        assert.deepStrictEqual(linesOf(yield* holdingsAfter(sql, wallets, block)), linesOf(expected))
      }

      const known = yield* sql<{ address: string }>`
        select '0x' || encode(address, 'hex') as address from wallet order by id limit 5`
      const stranger = `0x${"ab".repeat(20)}`
      yield* tx(seedWatched(sql, [...known.map(({ address }) => address), stranger, stranger]))
      const seeded = yield* sql<Row>`select * from webhook_position`
      assert.isAbove(seeded.length, 0)
      yield* sql`update webhook_position set shares = shares + 1`
      yield* tx(seedWatched(sql, [...known.map(({ address }) => address), stranger]))
      const again = yield* sql<Row>`select wallet, token, shares - 1 as shares, status from webhook_position`
      assert.deepStrictEqual(linesOf(again), linesOf(seeded))
      const watched = yield* sql`select block from webhook_watched_wallet`
      assert.deepStrictEqual(
        watched.map(({ block }) => block),
        Array(6).fill(simulation.head),
      )
    }),
  )
})
