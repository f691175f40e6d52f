import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const server = livedServer(71, {
  "wallets.fills-per-answer": "10",
  "wallets.pnl-per-account": "1",
  "wallets.pnl-per-process": "2",
  "postgres.lock-timeout": "1m",
  "postgres.statement-timeout": "1m",
})

const isSoak = process.env.PRESAGE_SOAK === "1"

const halfUp = (numerator: bigint, denominator: bigint) => (2n * numerator + denominator) / (2n * denominator)

layer(server, { excludeTestServices: true })("The accounting summary of a wallet", (it) => {
  it.effect("has its fees less refunds, its rebates and its rewards, also of a wallet with many fills", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      const { key } = yield* keyOf("enterprise")
      const { fills, refunds } = yield* allFacts(simulation.head)
      const { books } = simulation.model.world.venue
      const wallets = simulation.model.wallets
        .map(({ address }, index) => ({ address, index, own: fills.filter(({ maker }) => maker === address) }))
        .filter(({ own }) => own.length > 0)
        .toSorted((a, b) => b.own.length - a.own.length)
      let waited = 0
      for (const { address, index, own } of [
        ...wallets.slice(0, isSoak ? 15 : 5),
        ...wallets.slice(isSoak ? -15 : -2),
      ]) {
        const ask = Effect.map(
          askWith(key, `/v3/wallets/${address}?include_accounting_summary=true`),
          ({ json }) => json.accounting_summary,
        )
        const first = yield* ask
        if (!first.loaded) {
          waited += 1
          assert.deepInclude(first.fees_paid, { loaded: false, amount: null, raw: null, fee_fill_count: null })
          assert.strictEqual(first.projector_status, "loading")
        }
        yield* eventually(
          "the fees are added up",
          Effect.map(ask, ({ loaded }) => loaded),
        )
        const summary = yield* ask
        const charged = own.map((fill) => {
          const back = refunds
            .filter(({ tx, wallet, token }) => tx === fill.tx && wallet === address && token === fill.token)
            .reduce((sum, { amount }) => sum + amount, 0n)
          const fee = fill.fee === 0n ? 0n : fill.fee - back
          return { block: fill.block, fee: fill.fee_in_shares ? halfUp(fee * fill.usd, fill.shares) : fee }
        })
        const blocks = charged.filter(({ fee }) => fee > 0n).map(({ block }) => block)
        const raw = charged.reduce((sum, { fee }) => sum + fee, 0n)
        assert.deepStrictEqual(summary.fees_paid, {
          available: true,
          loaded: true,
          amount: Number(raw) / 1e6,
          raw: String(raw),
          fee_fill_count: blocks.length,
          order_owner_fill_count: own.length,
          first_fee_block: blocks.length === 0 ? null : String(Math.min(...blocks)),
          last_fee_block: blocks.length === 0 ? null : String(Math.max(...blocks)),
        })
        const [rebates, rewards] = [books.rebates.get(index), books.rewards.get(index)]
        const received = (amount: number) => ({
          available: true,
          loaded: true,
          status: "loaded",
          amount: amount / 1e6,
          raw: String(amount),
        })
        assert.deepStrictEqual(summary.maker_rebates, received(rebates))
        assert.deepStrictEqual(summary.rewards, received(rewards))
        assert.deepInclude(summary, {
          available: true,
          has_order_filled_rows: true,
          order_filled_through_block: String(simulation.head),
          projector_status: "live",
        })
      }
      assert.isAbove(waited, 3)
      const { json } = yield* askWith(key, `/v3/wallets/0x${"e".repeat(40)}?include_accounting_summary=true`)
      assert.deepInclude(json.accounting_summary, { loaded: true, has_order_filled_rows: false })
      assert.notProperty((yield* askWith(key, `/v3/wallets/${wallets[0]?.address}`)).json, "accounting_summary")
    }),
  )

  it.effect("does not wait for windows, of which an account and a server answer only so many at a time", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const [wallet] = yield* sql<{ address: string }>`
        select '0x' || encode(w.address, 'hex') as address from realized_event e join wallet w on w.id = e.wallet limit 1`
      const path = `/v3/wallets/${wallet?.address}`
      const [one, other, third] = [yield* keyOf("enterprise"), yield* keyOf("enterprise"), yield* keyOf("enterprise")]
      const [isLocked, mayGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const locking = yield* Effect.forkChild(
        tx(
          Effect.gen(function* () {
            yield* sql`set local idle_in_transaction_session_timeout = '2min'`
            yield* sql`lock table realized_event in access exclusive mode`
            yield* Deferred.succeed(isLocked, undefined)
            yield* Deferred.await(mayGo)
          }),
        ),
      )
      yield* Deferred.await(isLocked)
      const waiting = (count: number) =>
        eventually(
          "a request waits for the lock",
          Effect.map(
            sql<{ n: number }>`
              select count(*)::int as n from pg_locks where relation = 'realized_event'::regclass and not granted`,
            ([row]) => (row?.n ?? 0) >= count,
          ),
        )
      const first = yield* Effect.forkChild(askWith(one.key, `${path}/pnl?period=7d`))
      yield* waiting(1)
      for (const query of ["/pnl?period=1d", "/pnl/events"]) {
        const { status, json, headers } = yield* askWith(one.key, `${path}${query}`)
        assert.strictEqual(status, 429)
        assert.deepInclude(json, { error: "wallet_pnl_busy", scope: "v3_pnl_account_concurrency" })
        assert.strictEqual(headers["retry-after"], "1")
      }
      assert.strictEqual((yield* askWith(one.key, path)).status, 200)
      const second = yield* Effect.forkChild(askWith(other.key, `${path}/pnl/events`))
      yield* waiting(2)
      const full = yield* askWith(third.key, `${path}/pnl?after=5`)
      assert.strictEqual(full.status, 503)
      assert.deepInclude(full.json, { error: "wallet_pnl_busy", scope: "v3_pnl_global_concurrency" })
      yield* Deferred.succeed(mayGo, undefined)
      yield* Fiber.join(locking)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
      assert.strictEqual((yield* askWith(third.key, `${path}/pnl?after=5`)).status, 200)
    }),
  )
})
