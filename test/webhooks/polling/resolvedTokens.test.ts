import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { deleteBefore } from "#src/webhooks/delivery/MaintenanceStore.ts"
import { fill, handChain, hex, market, timeOf, wallet } from "../support/handChain.ts"
import { newAccount, newWebhook, stores, tick } from "../support/pending.ts"

layer(stores(), { excludeTestServices: true })("The last delivered state of a token", (it) => {
  it.effect("is deleted once its market has been resolved long enough", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const chain = yield* handChain
      const names = ["price_change", "pnl_change"] as const
      yield* Effect.forEach(names, tick)
      const account = yield* newAccount("enterprise")
      yield* newWebhook(account, ["price_change"])
      yield* newWebhook(account, ["pnl_change"], { wallet_addresses: [wallet(3)] })
      const [token, other] = [hex(Number(market.token)), hex(0xb1)]
      const trades = [token, other].flatMap((token) => [
        fill({ maker: 3, token }),
        fill({ maker: 3, token, side: "sell", usd: usdc(3_000_000) }),
      ])
      yield* chain.mine({ 1: trades })
      const condition = market.condition.slice(2)
      const resolved = yield* chain.mine({
        2: [(place) => ({ kind: "resolution", sub: 0, condition, payouts: [1, 0], ...place })],
      })
      yield* chain.wait(3)
      yield* Effect.forEach(names, tick)
      const kept = (table: string) =>
        Effect.map(
          sql<{ hash: string }>`
            select encode(t.hash, 'hex') as hash from ${sql(table)} p join token t on t.id = p.token order by t.hash`,
          (rows) => rows.map(({ hash }) => hash),
        )
      const at = timeOf(resolved)
      for (const [moment, expected] of [
        [at, [token, other]],
        [at + 1, [other]],
      ] satisfies Array<[number, Array<string>]>) {
        yield* deleteBefore(sql, new Date(moment))
        assert.deepStrictEqual(yield* kept("webhook_price"), expected)
        assert.deepStrictEqual(yield* kept("webhook_pnl"), expected)
      }
    }),
  )
})
