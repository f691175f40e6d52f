import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkZeroSum } from "#src/repair/verify/sums.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const zeroSum = Effect.map(verifyOnly(checkZeroSum), (checks) => checks.find(({ check }) => check === "zero-sum")?.ok)

layer(testFoundation(), { excludeTestServices: true })("The zero-sum check", (it) => {
  it.effect("requires markets to add up unless their shares come from conversions", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const hash = Buffer.alloc(32, 1)
      const at = new Date(0)
      yield* sql`insert into chain_cursor (name, block, hash, started_from, head) values ('polygon', 9, ${hash}, 1, 9)`
      yield* sql`insert into condition (hash) values (${hash})`
      yield* sql`insert into token (hash, condition, outcome) values (${hash}, 1, 0)`
      yield* sql`insert into resolution (block, log_index, at, condition, payouts)
        values (5, 0, ${at}::timestamptz, 1, '{0,1}')`
      yield* sql`insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at)
        values (1, 1, 0, 0, -700, 0, 0, true, ${at}::timestamptz)`
      assert.isFalse(yield* zeroSum)
      yield* sql`insert into conversion (block, log_index, at, wallet, neg_risk_market, nos, yeses, amount, received, paid)
        values (4, 0, ${at}::timestamptz, 1, ${hash}, '{2}', '{1}', 700, 700, 0)`
      assert.isTrue(yield* zeroSum)
    }),
  )
})
