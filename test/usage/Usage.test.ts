import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import fc from "fast-check"
import type { AccountId } from "#src/domain/Account.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Month, MonthlyUsage } from "#src/usage/model.ts"
import { Usage } from "#src/usage/Usage.ts"
import type { UsageRow } from "#src/usage/UsageStore.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { anAccount, strangerAccount } from "./support/accounts.ts"

const stored = bulkInsert<UsageRow>({
  table: "usage_day",
  columns: { account_id: "uuid", key_id: "uuid", day: "date", family: "text", requests: "int8", bytes: "int8" },
})

/** Around the ends of months, of a year and of a February with 29 days. */
const days = ["2023-12-31", "2024-01-01", "2024-01-31", "2024-02-01", "2024-02-15", "2024-02-29", "2024-03-01"]
const months = ["2023-12", "2024-01", "2024-02", "2024-03"].map((text) => Month.make(text))

/** The same by plain queries. */
const bruteForce = (account: AccountId, month: Month) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const sumBy = (column: string) =>
      sql.unsafe<{ part: string; requests: number; bytes: number }>(
        `select ${column} as part, sum(requests)::float8 as requests, sum(bytes)::float8 as bytes from usage_day
         where account_id = $1::uuid and to_char(day, 'YYYY-MM') = $2 group by 1 order by 1`,
        [account, month],
      )
    return {
      whole: yield* sumBy("'all'"),
      day: yield* sumBy("day::text"),
      family: yield* sumBy("family"),
      key: yield* sumBy("key_id::text"),
      dayAndFamily: yield* sumBy("day || ' ' || family"),
    }
  })

const byPart = <A extends { readonly part: string }>(list: ReadonlyArray<A>) =>
  [...list].sort((a, b) => (a.part < b.part ? -1 : 1))

layer(
  testFoundation({ "usage.flush": "1500ms" }).pipe((base) => Layer.provideMerge(Usage.layer, base)),
  {
    excludeTestServices: true,
  },
)("Usage", (it) => {
  it.effect("monthly reports equal plain queries", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const usage = yield* Usage
      const accounts = [yield* anAccount(1), yield* anAccount(4)]
      const rows = fc
        .sample(
          fc.uniqueArray(
            fc.record({
              who: fc.constantFrom(...accounts),
              key: fc.nat(3),
              day: fc.constantFrom(...days),
              family: fc.constantFrom("crypto", "wallets", "stream"),
              requests: fc.bigInt({ min: 0n, max: 1_000_000n }),
              bytes: fc.bigInt({ min: 0n, max: 1_000_000_000_000n }),
            }),
            {
              minLength: 100,
              maxLength: 120,
              selector: ({ who, key, day, family }) => `${who.account} ${key % who.keys.length} ${day} ${family}`,
            },
          ),
          1,
        )
        .flat()
        .flatMap(({ who, key, ...row }) => {
          const key_id = who.keys[key % who.keys.length]
          return key_id === undefined ? [] : { account_id: who.account, key_id, ...row }
        })
      yield* stored(sql, rows)
      for (const { account, keys } of accounts) {
        for (const month of months) {
          const answer = yield* usage.month(account, month)
          const expected = yield* bruteForce(account, month)
          assert.isAbove(answer.by_day.length, 0)
          assert.deepStrictEqual([{ part: "all", requests: answer.requests, bytes: answer.bytes }], [...expected.whole])
          assert.deepStrictEqual(
            answer.by_day.map(({ day, ...sums }) => ({ part: day, ...sums })),
            [...expected.day],
          )
          assert.deepStrictEqual(byPart(answer.by_family.map(({ family, ...sums }) => ({ part: family, ...sums }))), [
            ...expected.family,
          ])
          assert.deepStrictEqual(
            byPart(answer.by_key.map(({ key_id, name: _, ...sums }) => ({ part: key_id, ...sums }))),
            [...expected.key],
          )
          assert.deepStrictEqual(
            byPart(answer.by_day_and_family.map(({ day, family, ...sums }) => ({ part: `${day} ${family}`, ...sums }))),
            byPart(expected.dayAndFamily),
          )
          for (const { key_id, name } of answer.by_key) assert.strictEqual(name, `key ${keys.indexOf(key_id)}`)
          for (const list of [answer.by_family, answer.by_key]) {
            const counts = list.map(({ requests }) => requests)
            assert.deepStrictEqual(
              counts,
              counts.toSorted((a, b) => b - a),
            )
          }
          assert.deepStrictEqual(Schema.decodeUnknownSync(MonthlyUsage)(JSON.parse(JSON.stringify(answer))), answer)
        }
      }
    }),
  )

  it.effect("months without usage and unknown accounts are zero, with the age of the report", () =>
    Effect.gen(function* () {
      const usage = yield* Usage
      const { account } = yield* anAccount(1)
      for (const who of [account, strangerAccount()]) {
        for (const month of ["2000-01", "2100-12"].map((text) => Month.make(text))) {
          const { as_of, ...answer } = yield* usage.month(who, month)
          assert.deepStrictEqual(answer, {
            account_id: who,
            month,
            requests: 0,
            bytes: 0,
            by_family: [],
            by_day: [],
            by_day_and_family: [],
            by_key: [],
            behind_seconds: 1.5,
          })
          assert.strictEqual(new Date(as_of).toISOString(), as_of)
        }
      }
    }),
  )
})
