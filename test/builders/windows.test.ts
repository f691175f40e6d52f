import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { count, nextRange, resetBuilders } from "#src/builders/CountStore.ts"
import { moveWindows, windows } from "#src/builders/WindowStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const genesis = Date.UTC(2026, 0, 1) / 1000
const depth = 3

interface Fill {
  readonly block: number
  readonly at: number
  readonly builder: number
  readonly wallet: number
  readonly usd: number
}

/** Blocks that are seconds to days apart, with fills of few wallets. */
const drawFills = (dice: Dice, blocks: number) => {
  const fills: Array<Fill> = []
  const times: Array<number> = []
  let at = genesis
  for (let block = 1; block <= blocks; block++) {
    at += dice.chance(0.03) ? dice.between(0, 5 * 86_400) : dice.between(0, 12_000)
    times.push(at)
    for (let fill = dice.between(0, 3); fill > 0; fill--) {
      fills.push({ block, at, builder: dice.between(0, 3), wallet: dice.between(1, 5), usd: dice.between(0, 900) })
    }
  }
  return { fills, times }
}

layer(testFoundation({}))("The last days of builders' users", (it) => {
  it.effect("lose what leaves them and gain what enters, whichever way blocks are counted", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const dice = new Dice(5)
      const { fills, times } = drawFills(dice, 1_500)
      assert.isAbove((times.at(-1) ?? 0) - genesis, 90 * 86_400)
      yield* sql`create table if not exists fill_any partition of fill default`
      yield* sql`
        insert into block (number, hash, at, logs)
        select n, int4send(n::int), to_timestamp(t), 0
        from unnest(${times}::float8[]) with ordinality b(t, n)`
      yield* sql`
        insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
        select 1, (f ->> 'usd')::int, 0, (f ->> 'block')::int, n, (f ->> 'at')::int, (f ->> 'wallet')::int, 0, 1,
          (f ->> 'builder')::int, 2, false, int4send(n::int)
        from jsonb_array_elements(${JSON.stringify(fills)}::jsonb) with ordinality e(f, n)`
      yield* sql`
        insert into chain_cursor (name, block, hash, head, started_from) values ('chain', ${times.length}, '', ${times.length}, 1)`

      const compare = Effect.gen(function* () {
        const [counted] = yield* sql<{ from_block: number; to_block: number }>`select * from builder_progress`
        const { from_block: from, to_block: to } = counted ?? assert.fail("nothing is counted")
        for (const days of windows) {
          const since = (times[to - 1] ?? 0) - days * 86_400
          const sums = new Map<string, readonly [number, number]>()
          for (const fill of fills) {
            if (fill.block < from || fill.block > to || fill.at <= since || fill.builder === 0) continue
            const key = `${fill.builder} ${fill.wallet}`
            const [number, usd] = sums.get(key) ?? [0, 0]
            sums.set(key, [number + 1, usd + fill.usd])
          }
          const rows = yield* sql<{ key: string; fills: number; usd: bigint }>`
            select builder || ' ' || wallet as key, fills, usd from builder_window where days = ${days}::smallint`
          const stored = new Map(rows.map((row) => [row.key, [row.fills, Number(row.usd)] as const]))
          assert.deepStrictEqual(stored, sums, `${days} days before block ${to}`)
        }
      })
      const step = (most: number, isMoved: boolean) =>
        tx(
          Effect.gen(function* () {
            const range = yield* nextRange(sql, depth, most)
            if (range !== undefined) yield* count(sql, range)
            if (isMoved) yield* moveWindows(sql)
            return range !== undefined
          }),
        )
      yield* tx(resetBuilders(sql))
      for (let counted = true; counted; ) {
        const isMoved = dice.chance(0.7)
        counted = yield* step(dice.between(1, 120), isMoved)
        if (isMoved) yield* compare
      }
      yield* tx(moveWindows(sql))
      yield* compare
      const settled = yield* sql`select * from builder_window order by builder, days, wallet`
      yield* tx(resetBuilders(sql))
      yield* sql`insert into builder_progress (from_block, to_block) values (${times.length - depth + 1}, ${times.length - depth})`
      for (let counted = true; counted; ) {
        counted = yield* step(dice.between(1, 120), true)
        yield* compare
      }
      assert.deepStrictEqual(yield* sql`select * from builder_window order by builder, days, wallet`, settled)
    }),
  )
})
