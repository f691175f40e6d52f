import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { usdc } from "#src/domain/amounts.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import { confirmedLog } from "#src/webhooks/polling/confirmed.ts"
import { pnlChange } from "#src/webhooks/polling/pnlChange/pnlChange.ts"
import { startFollowing } from "#src/webhooks/polling/positionStatusChange/SeedStore.ts"
import { WatcherIndex } from "#src/webhooks/polling/WatcherIndex.ts"
import { fill, handChain, wallet } from "../support/handChain.ts"
import { changeWebhook, deleteWebhook, newAccount, newWebhook, stores, tick } from "../support/pending.ts"

/** A map that can be queried but not iterated. */
class Unwalkable<K, V> extends Map<K, V> {
  override keys = () => assert.fail("the watched wallets were iterated")
  override values = this.keys
  override entries = this.keys
  override forEach = this.keys
  override [Symbol.iterator] = this.keys
}

const sizeOf = (table: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(sql<{ size: bigint }>`select pg_relation_size(${table}::regclass) as size`, ([row]) =>
      Number(row?.size),
    ),
  )

layer(stores(), { excludeTestServices: true })("Pollers with many watched wallets", (it) => {
  it.effect("look for realized amounts in the ledger, not among all watched wallets", () =>
    Effect.gen(function* () {
      const chain = yield* handChain
      const after = yield* (yield* EventLog).head
      const account = yield* newAccount("enterprise")
      const filters = { wallet_addresses: [3, 4].map(wallet) }
      const id = yield* newWebhook(account, ["pnl_change"], filters)
      const sale = (maker: number) => fill({ maker, side: "sell", usd: usdc(3_000_000) })
      yield* chain.mine({ 1: [fill({ maker: 3 }), fill({ maker: 5 })] })
      yield* chain.mine({ 2: [sale(3), sale(5)] })
      yield* chain.wait(3)
      const index = new WatcherIndex("pnl_change")
      index.set({ id, account, filters, since: after, active: true })
      const watchers = {
        wallets: new Unwalkable(index.wallets),
        matching: (facets: Parameters<WatcherIndex["matching"]>[0]) => index.matching(facets),
        version: {},
      }
      const { renderers, step } = yield* pnlChange
      const { reader } = yield* confirmedLog
      const { entries, horizon } = yield* reader(renderers)({ after, limit: 100, before: 0 })
      const { deliveries } = yield* step({ entries, horizon, watchers })
      assert.deepStrictEqual(
        deliveries.map(({ data }) => [data["wallet"], data["change"]]),
        [[wallet(3), 1]],
      )
    }),
  )

  it.effect("look for unwatched wallets only after webhooks have changed, not in every tick", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const chain = yield* handChain
      const account = yield* newAccount("enterprise")
      const webhook = yield* newWebhook(account, ["position_status_change"], { wallet_addresses: [wallet(6)] })
      yield* tx(startFollowing(sql, [wallet(6)]))
      const next = Effect.andThen(chain.wait(1), tick("position_status_change"))
      const followed = Effect.map(sql`select 1 from webhook_watched_wallet`, ({ length }) => length)
      yield* next
      yield* tx(startFollowing(sql, [wallet(7)]))
      yield* next
      assert.strictEqual(yield* followed, 2)
      yield* changeWebhook(webhook, true)
      yield* next
      assert.strictEqual(yield* followed, 1)
    }),
  )

  it.effect("drop all state at once when no webhook watches any more", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const chain = yield* handChain
      const account = yield* newAccount("enterprise")
      const names = ["first_trade", "position_status_change"] as const
      yield* newWebhook(account, ["first_trade"])
      yield* newWebhook(account, ["position_status_change"], { wallet_addresses: [wallet(8)] })
      yield* tx(startFollowing(sql, [wallet(8)]))
      yield* chain.mine({ 3: [fill({ maker: 8 })] })
      yield* chain.wait(3)
      yield* Effect.forEach(names, tick)
      const tables = ["webhook_first_trade", "webhook_watched_wallet", "webhook_position", "webhook_position_undo"]
      for (const table of tables) assert.isAbove(yield* sizeOf(table), 0, table)
      const there = yield* sql<{ id: WebhookId }>`select id from webhook`
      yield* Effect.forEach(there, ({ id }) => deleteWebhook(id))
      yield* chain.wait(1)
      yield* Effect.forEach(names, tick)
      for (const table of tables) assert.strictEqual(yield* sizeOf(table), 0, table)
    }),
  )
})
