import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { webhooksSeed } from "#actors/webhooksSeed.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { WebhooksSeed } from "#src/webhooks/contracts.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { eventually } from "#test/support/eventually.ts"
import { fill, handChain, hex, market, pairChange, wallet } from "../support/handChain.ts"
import { hook, insecure, making, openAccount } from "../support/hooks.ts"
import { deliveriesOf, stores, tick } from "../support/pending.ts"

const whale = wallet(77)

/** As many positions more, like one that the wallet has. */
const addPositions = Effect.fnUntraced(function* (count: number) {
  const { sql } = yield* Postgres
  yield* sql`
    with added as (
      insert into token (hash, condition, outcome)
      select sha256(n::text::bytea), condition, null from token, generate_series(1, ${count}::int) n
      where hash = decode(${hex(Number(market.token))}, 'hex') returning id)
    insert into position
    select (jsonb_populate_record(p, jsonb_build_object('token', a.id))).* from added a, position p join wallet w on w.id = p.wallet
    where w.address = decode(${whale.slice(2)}, 'hex')`
})

layer(Layer.provideMerge(making, stores(insecure.flags)), { excludeTestServices: true })("Seeding", (it) => {
  it.effect(
    "accepts a wallet with 10,000 positions at once, says so until they are read, and neither misses nor replays anything",
    () =>
      Effect.gen(function* () {
        const { sql } = yield* Postgres
        const webhooks = yield* Webhooks
        const chain = yield* handChain
        yield* chain.mine({ 1: [fill({ maker: 77 })] })
        yield* addPositions(10_000)
        yield* chain.wait(3)
        yield* tick("position_status_change")

        const account = yield* openAccount()
        const filters = { wallet_addresses: [whale] }
        const created = yield* hook(account, "https://127.0.0.1/seed", ["position_status_change"], filters)
        assert.isTrue(created.seeding)
        assert.deepStrictEqual(yield* sql`select 1 from webhook_position`, [])
        const queue = (yield* Jobs).queue(WebhooksSeed)
        const [job] = yield* Effect.promise(() => queue.getJobs())
        assert.deepStrictEqual(job?.data, { wallet: whale })

        const reported = Effect.map(deliveriesOf(created.id), (rows) =>
          rows.map(({ envelope: { data } }) =>
            [Number(data["transaction_hash"]), data["from_status"], data["to_status"], data["new_amount"]].join(" "),
          ),
        )
        yield* chain.mine({ 2: [fill({ maker: 77, side: "sell" })], 3: [pairChange("split", 77)] })
        yield* chain.wait(3)
        yield* tick("position_status_change")
        const meanwhile = ["2 open closed 0", "3 closed open 5", "3 none open 5"]
        assert.deepStrictEqual(yield* reported, meanwhile)
        assert.isTrue((yield* webhooks.get(account, created.id)).seeding)

        const isSeeded = Effect.map(webhooks.get(account, created.id), ({ seeding }) => !seeding)
        yield* Effect.scoped(Effect.andThen(Layer.build(webhooksSeed), eventually("its positions are read", isSeeded)))
        assert.strictEqual((yield* sql`select 1 from webhook_position`).length, 10_002)
        yield* chain.mine({ 4: [pairChange("merge", 77)] })
        yield* chain.wait(3)
        yield* tick("position_status_change")
        assert.deepStrictEqual(yield* reported, [...meanwhile, "4 open closed 0", "4 open closed 0"])
      }),
  )
})
