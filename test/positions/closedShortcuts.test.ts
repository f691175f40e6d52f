import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { closedPositionStore } from "#src/positions/ClosedPositionStore.ts"
import { type ClosedQuery, closedSorts } from "#src/positions/closedQuery.ts"
import { shortcutBounds, shortcutFor } from "#src/positions/closedShortcuts.ts"
import { busyLedger } from "#test/platform/support/busyLedger.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const busy = 1

/** Adds what the orders of lists must survive: equal titles, conditions without one, and tokens without a condition. */
const addOddTitles = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`update market set question = 'Will it be so? ' || repeat('so, ', 150) || id where id % 7 = 0`
  yield* sql`update market set question = 'Same' where id % 11 = 0`
  yield* sql`delete from market where id % 13 = 0`
  yield* sql`
    insert into token (hash) select decode(lpad(to_hex(900000 + n), 64, '0'), 'hex') from generate_series(1, 5) n`
  yield* sql`
    insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at, paid, volume, traded_at)
    select ${busy}, id, 0, 0, 5, 10, 10, false, now() - interval '1 hour', 5, 10, now()
    from token where condition is null`
  // Conditions without tokens, at both ends of the order.
  yield* sql`
    insert into condition (hash, title)
    select decode(lpad(to_hex(800000 + n), 64, '0'), 'hex'), (array[null, '!', 'zzz'])[n % 3 + 1] from generate_series(1, 300) n`
  yield* sql`analyze`
})

const queries = (["ASC", "DESC"] as const).flatMap((direction) =>
  closedSorts.flatMap((sortBy) =>
    [0, 35, 300, 1_200].map(
      (offset): ClosedQuery => ({
        wallet: busy,
        limit: 50,
        offset,
        sortBy,
        direction,
        market: undefined,
        title: undefined,
      }),
    ),
  ),
)

/** A short walk ends before enough is found, a long one has all. */
const walks = [5, 120, 600, 10_000]

layer(testFoundation({}), { excludeTestServices: true })("Closed positions of a wallet with many", (it) => {
  it.effect("come in the same order however far their tokens are walked", () =>
    Effect.gen(function* () {
      yield* busyLedger(new Date("2026-03-01T00:00:00Z"))
      yield* addOddTitles
      const postgres = yield* Postgres
      const all = closedPositionStore(postgres, { ...shortcutBounds, wanted: 0 })
      const withShortcut = queries.filter((query) => shortcutFor(query, shortcutBounds) !== undefined)
      assert.lengthOf(withShortcut, 5 * 3)
      for (const query of withShortcut) {
        const expected = yield* all(query)
        assert.isAbove(expected.length, 0)
        for (const walked of walks) {
          const walking = closedPositionStore(postgres, { positions: 500, walked: () => walked, wanted: 1_000 })
          assert.deepStrictEqual(yield* walking(query), expected, JSON.stringify({ ...query, walked }))
        }
      }
    }),
  )

  it.effect("are kept for titles that are longer than an index holds", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const [{ length } = { length: 0 }] = yield* sql<{ length: number }>`
        update condition set title = (
          select string_agg(md5(n::text), ' + ') from generate_series(1, 255) n)
        where id = 1 returning length(title) as length`
      assert.isAbove(length, 8_000)
    }),
  )
})
