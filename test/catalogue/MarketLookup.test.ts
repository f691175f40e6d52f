import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

/** More than one query finds at a time. */
const count = process.env.PRESAGE_SOAK === "1" ? 10_000 : 2_500
const perEvent = 4

const conditionOf = (id: number) => `0x${(2n ** 250n + BigInt(id)).toString(16).padStart(64, "0")}`
const tokensOf = (id: number) => [0n, 1n].map((outcome) => (2n ** 255n + BigInt(id) * 2n + outcome).toString())

const expected = (id: number) => ({
  condition: conditionOf(id),
  slug: `market-${id}`,
  eventSlug: id % 10 === 0 ? null : `event-${Math.floor(id / perEvent)}`,
  question: `Will ${id} happen?`,
  eventTitle: id % 10 === 0 ? null : `Event ${Math.floor(id / perEvent)}`,
  outcomes: ["Yes", "No"],
  tokens: tokensOf(id),
})

/** Many markets, four to an event, every tenth without one; the last condition is listed twice. */
const catalogue = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const hash = (id: number) => Buffer.from(conditionOf(id).slice(2), "hex")
  const bytes = (text: string) => Buffer.from(BigInt(text).toString(16).padStart(64, "0"), "hex")
  for (let from = 1; from <= count; from += 2_500) {
    const ids = Array.from({ length: 2_500 }, (_, index) => from + index)
    yield* sql`insert into condition (hash) select decode(n, 'hex') from unnest(${ids.map((id) => hash(id).toString("hex"))}::text[]) n`
    yield* sql`
      insert into token (hash, condition, outcome)
      select decode(n.token, 'hex'), c.id, n.outcome::smallint
      from jsonb_to_recordset(${JSON.stringify(
        ids.flatMap((id) =>
          tokensOf(id).map((token, outcome) => ({
            token: bytes(token).toString("hex"),
            outcome,
            condition: hash(id).toString("hex"),
          })),
        ),
      )}::text::jsonb) n(token text, outcome int, condition text)
      join condition c on c.hash = decode(n.condition, 'hex')`
  }
  yield* sql`
    insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
    select n, 'event-' || n, 'Event ' || n, '[]', true, false, false, false, false from generate_series(0, ${count / perEvent}::int) n`
  yield* sql`
    insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
      accepting_orders, neg_risk)
    select n, case when n % 10 = 0 then null else n / ${perEvent}::int end, c.id, '[]', 'market-' || n,
      'Will ' || n || ' happen?', '["Yes", "No"]', '[]', true, false, false, true, false
    from generate_series(1, ${count}::int) n join condition c on c.id = n`
  yield* sql`
    insert into market (id, condition, tokens, slug, question, outcomes, prices, active, closed, archived, accepting_orders, neg_risk)
    select 1000000, condition, tokens, 'again', 'Again?', outcomes, prices, true, false, false, true, false
    from market where id = ${count}`
})

layer(MarketLookup.layer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })(
  "MarketLookup",
  (it) => {
    it.effect("finds thousands of markets at a time and leaves out unknown ones", () =>
      Effect.gen(function* () {
        yield* catalogue
        const lookup = yield* MarketLookup
        const ids = Array.from({ length: count - 1 }, (_, index) => index + 1)

        const byToken = yield* lookup.byTokens([...ids.map((id) => tokensOf(id)[id % 2] ?? ""), "7", "9".repeat(78)])
        assert.strictEqual(byToken.size, ids.length)
        const byCondition = yield* lookup.byConditions([...ids.map(conditionOf), `0x${"ab".repeat(32)}`])
        assert.strictEqual(byCondition.size, ids.length)
        const bySlug = yield* lookup.bySlugs([...ids.map((id) => `market-${id}`), "market-0"])
        assert.strictEqual(bySlug.size, ids.length)
        for (const id of ids) {
          const market = expected(id)
          assert.deepStrictEqual(byToken.get(tokensOf(id)[id % 2] ?? ""), market)
          assert.deepStrictEqual(byCondition.get(conditionOf(id)), market)
          assert.deepStrictEqual(bySlug.get(`market-${id}`), [market])
        }
      }),
    )

    it.effect("returns all markets of an event by its slug", () =>
      Effect.gen(function* () {
        const found = yield* MarketLookup.use(({ bySlugs }) =>
          bySlugs(["event-1", "event-2", "market-5", "event-9999"]),
        )
        assert.deepStrictEqual(
          found,
          new Map([
            ["event-1", [4, 5, 6, 7].map(expected)],
            ["event-2", [8, 9, 11].map(expected)],
            ["market-5", [expected(5)]],
          ]),
        )
      }),
    )

    it.effect("returns the newest market of a condition and accepts any spelling of an id", () =>
      Effect.gen(function* () {
        const lookup = yield* MarketLookup
        const id = `0x${conditionOf(count).slice(2).toUpperCase()}`
        assert.strictEqual((yield* lookup.byConditions([id])).get(id)?.slug, "again")
        const token = `0${tokensOf(3)[1]}`
        assert.deepStrictEqual(yield* lookup.byTokens([token, token]), new Map([[token, expected(3)]]))
        assert.deepStrictEqual(yield* lookup.bySlugs([]), new Map())
      }),
    )
  },
)
