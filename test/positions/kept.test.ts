import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { keptDifferences, noDifferences } from "./support/keptDifferences.ts"

const listMarket = (id: number, condition: number | null, event: number, question: string) =>
  Effect.flatMap(
    Postgres,
    ({ sql }) => sql`
      insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
        accepting_orders, neg_risk)
      values (${id}, ${event}, ${condition}, '[]', ${`market-${id}`}, ${question}, '["Yes", "No"]', '[]', true, false, false,
        true, false)`,
  )

/** What is kept of the tokens of a condition, by outcome. */
const keptOf = (condition: number) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* keptDifferences, noDifferences)
    const { sql } = yield* Postgres
    return yield* sql<{ title: string | null; event: number | null; payout: number | null }>`
      select c.title, t.event, t.payout from token t join condition c on c.id = t.condition
      where c.id = ${condition} order by t.outcome`
  })

layer(testFoundation({}), { excludeTestServices: true })("What lists keep of tokens and conditions", (it) => {
  it.effect("follows changed titles, newer markets, resolutions and their retraction", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`insert into condition (hash) select decode(lpad(to_hex(n), 64, '0'), 'hex') from generate_series(1, 2) n`
      yield* sql`
        insert into token (hash, condition, outcome)
        select decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, n from generate_series(0, 1) n`
      yield* listMarket(10, 1, 100, "First?")
      const first = { title: "First?", event: 100, payout: null }
      assert.deepStrictEqual(yield* keptOf(1), [first, first])

      yield* sql`update market set question = 'Second?', volume = 5 where id = 10`
      yield* sql`update market set event = 101 where id = 10`
      const second = { title: "Second?", event: 101, payout: null }
      assert.deepStrictEqual(yield* keptOf(1), [second, second])

      yield* sql`
        insert into resolution (block, log_index, at, condition, payouts) values (7, 1, now(), 1, '{1,3}')`
      const resolved = [
        { ...second, payout: 250_000 },
        { ...second, payout: 750_000 },
      ]
      assert.deepStrictEqual(yield* keptOf(1), resolved)
      yield* sql`delete from resolution where block > 6`
      assert.deepStrictEqual(yield* keptOf(1), [second, second])

      // An older market does not count; a newer one does until it is taken away or gets another condition.
      yield* listMarket(9, 1, 102, "Older?")
      assert.deepStrictEqual(yield* keptOf(1), [second, second])
      yield* listMarket(11, 1, 103, "Newer?")
      const newer = { title: "Newer?", event: 103, payout: null }
      assert.deepStrictEqual(yield* keptOf(1), [newer, newer])
      yield* sql`update market set condition = 2 where id = 11`
      assert.deepStrictEqual(yield* keptOf(1), [second, second])
      yield* sql`delete from market where id in (9, 10)`
      const unlisted = { title: null, event: null, payout: null }
      assert.deepStrictEqual(yield* keptOf(1), [unlisted, unlisted])
    }),
  )

  it.effect("knows the resolution and the market of a token that is linked to its condition later", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* sql`
        insert into resolution (block, log_index, at, condition, payouts) values (8, 1, now(), 2, '{1,0,1}')`
      yield* sql`insert into token (hash) values ('\\x11')`
      assert.isEmpty(yield* keptOf(2))
      yield* sql`update token set condition = 2, outcome = 2 where hash = '\\x11'`
      yield* sql`insert into token (hash, condition, outcome) values ('\\x12', 2, 1)`
      const kept = { title: "Newer?", event: 103 }
      assert.deepStrictEqual(yield* keptOf(2), [
        { ...kept, payout: 0 },
        { ...kept, payout: 500_000 },
      ])
    }),
  )

  it.effect("knows the title of a combo by its legs, whichever of them is listed last", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const [rain = "", snow = "", combo = ""] = [3, 4, 5].map((n) => String(n).repeat(62))
      // Conditions 3 and 4 are legs, 5 is the combo, 6 and 7 are what markets call the legs.
      yield* sql`
        insert into condition (hash) select decode(h, 'hex')
        from unnest(array[${`${rain}00`}, ${`${snow}00`}, ${`${combo}00`}, ${"66"}, ${"77"}]) h`
      yield* sql`
        insert into combo (block, log_index, at, condition, legs)
        values (9, 1, now(), 5, decode(${`${rain}00${snow}01`}, 'hex'))`
      const title = Effect.gen(function* () {
        assert.deepStrictEqual(yield* keptDifferences, noDifferences)
        const [row] = yield* sql<{ title: string | null }>`select title from condition where id = 5`
        return row?.title
      })
      yield* listMarket(20, 6, 200, "Will it rain?")
      assert.isNull(yield* title)
      yield* sql`insert into condition_rename (block, log_index, at, condition, legacy) values (9, 2, now(), 3, 6), (9, 3, now(), 4, 7)`
      assert.strictEqual(yield* title, "Will it rain? (Yes) + unlisted market")
      yield* listMarket(21, 7, 201, "Will it snow?")
      assert.strictEqual(yield* title, "Will it rain? (Yes) + Will it snow? (No)")
      yield* sql`update market set question = 'Will it pour?', outcomes = '["Sure", "No"]' where id = 20`
      assert.strictEqual(yield* title, "Will it pour? (Sure) + Will it snow? (No)")
      yield* sql`delete from condition_rename where condition = 4`
      assert.strictEqual(yield* title, "Will it pour? (Sure) + unlisted market")
      yield* sql`delete from market where id = 20`
      assert.isNull(yield* title)
      yield* listMarket(20, 6, 200, "Will it rain?")
      yield* sql`delete from combo where condition = 5`
      assert.isNull(yield* title)
    }),
  )
})
