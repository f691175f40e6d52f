import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Dictionary, tokenOutcomes } from "#src/dictionary/Dictionary.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const name = (digit: string) => digit.repeat(64)

const stored = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ id: number; name: string; condition: number | null; outcome: number | null }>`
    select id, encode(hash, 'hex') as name, condition, outcome from token`
  return new Map(rows.map(({ name, ...row }) => [name, { ...row }]))
})

/** A dictionary with an empty cache, as after a restart. */
const fresh = Effect.provide(Dictionary, Layer.fresh(Dictionary.layer))

layer(testFoundation(), { excludeTestServices: true })("Dictionary", (it) => {
  it.effect("stores new tokens with their outcome and leaves existing ones unchanged", () =>
    Effect.gen(function* () {
      const before = yield* fresh
      const first = yield* before.tokens([name("a"), name("b")])
      const conditions = yield* before.conditions([name("c")])
      const condition = conditions.get(name("c")) ?? 0
      const outcomes = tokenOutcomes([[condition, [name("b"), name("d")]]])

      const wanted = [name("a"), name("b"), name("d"), name("e")]
      const numbers = yield* (yield* fresh).tokens(wanted, outcomes)
      const nothing = { condition: null, outcome: null }
      assert.deepStrictEqual(
        yield* stored,
        new Map([
          [name("a"), { id: first.get(name("a")) ?? 0, ...nothing }],
          [name("b"), { id: first.get(name("b")) ?? 0, ...nothing }],
          [name("d"), { id: numbers.get(name("d")) ?? 0, condition, outcome: 1 }],
          [name("e"), { id: numbers.get(name("e")) ?? 0, ...nothing }],
        ]),
      )
      assert.deepStrictEqual([...numbers.keys()].sort(), wanted)
    }),
  )

  it.effect("returns the same ids to concurrent callers", () =>
    Effect.gen(function* () {
      const wanted = Array.from({ length: 500 }, (_, i) => i.toString(16).padStart(64, "0"))
      const conditions = yield* (yield* fresh).conditions([name("f")])
      const condition = conditions.get(name("f")) ?? 0
      const asked = yield* Effect.forEach(
        [wanted, wanted.toReversed(), wanted, wanted.toReversed()],
        (names) => Effect.flatMap(fresh, (each) => each.tokens(names, tokenOutcomes([[condition, wanted]]))),
        { concurrency: "unbounded" },
      )
      const known = yield* stored
      wanted.forEach((each, outcome) => {
        assert.deepStrictEqual(known.get(each), { id: asked[0]?.get(each) ?? 0, condition, outcome })
        for (const numbers of asked) assert.strictEqual(numbers.get(each), known.get(each)?.id)
      })
    }),
  )

  it.effect("returns correct ids whether most names are new or not, and consumes none for existing names", () =>
    Effect.gen(function* () {
      const named = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => (from + i).toString(16).padStart(40, "0"))
      const { sql } = yield* Postgres
      const [first, second] = [yield* fresh, yield* fresh]
      // Both have seen only new names and expect more.
      yield* first.wallets(named(0, 100))
      yield* second.wallets(named(100, 200))
      // Some names exist already, then all.
      const mixed = yield* first.wallets(named(150, 250))
      const known = yield* second.wallets(named(0, 250))
      const again = yield* (yield* fresh).wallets(named(0, 250))
      assert.deepStrictEqual(new Map([...known].sort()), new Map([...again].sort()))
      for (const [each, number] of mixed) assert.strictEqual(number, known.get(each))
      const rows = yield* sql<{ id: number; name: string }>`select id, encode(address, 'hex') as name from wallet`
      assert.deepStrictEqual(new Map(rows.map(({ id, name }) => [name, id])), new Map(again))

      // Restarted processes that request existing names consume no ids.
      const next = () =>
        Effect.map(sql<{ last: bigint }>`select last_value as last from wallet_id_seq`, ([row]) => row?.last)
      const before = yield* next()
      for (let i = 0; i < 5; i++) yield* (yield* fresh).wallets(named(0, 250))
      assert.strictEqual(yield* next(), before)

      // Nor does a small request between large ones.
      const reader = yield* fresh
      yield* reader.wallets(named(300, 500))
      yield* second.wallets(named(500, 510))
      const made = yield* next()
      yield* reader.wallets(named(500, 510))
      assert.strictEqual(yield* next(), made)
    }),
  )
})
