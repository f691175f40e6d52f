import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"
import { padConditions } from "#migrations/0031_contract_logs.ts"
import { abandonKeys } from "#src/cli/abandonKeys.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { Resolver, Unresolvable } from "#src/webhooks/delivery/Resolver.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import type { WebhookId } from "#src/webhooks/model.ts"
import type { WebhookRequest } from "#src/webhooks/subscriptions/create.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { eventually } from "#test/support/eventually.ts"
import { hold } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"

/** Resolves one public name and one private name. */
const resolver = Layer.succeed(
  Resolver,
  Resolver.of({
    resolve: (name) =>
      name === "hooks.example.com"
        ? Effect.succeed(["93.184.216.34"])
        : name === "inside.example.com"
          ? Effect.succeed(["93.184.216.34", "10.0.0.1"])
          : Effect.fail(new Unresolvable({ name })),
  }),
)

const services = Layer.mergeAll(Webhooks.layer, accountKeys).pipe(
  Layer.provideMerge(Layer.merge(SecretBox.layer, Layer.provide(Targets.layer, resolver))),
  Layer.provideMerge(testFoundation()),
)

const wanted: WebhookRequest = {
  url: "https://hooks.example.com",
  eventTypes: ["trade"],
  filters: {},
  description: null,
  secret: undefined,
  requestKey: undefined,
}

const newAccount = Effect.flatMap(Keys, (keys) => keys.createAccount("starter", KeyName.make("somebody")))

const rowOf = (id: WebhookId) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ revision: bigint; secret: Uint8Array; previous_secret: Uint8Array | null }>`
      select revision, secret, previous_secret from webhook where id = ${id}`
    return row
  })

layer(services, { excludeTestServices: true })("Webhooks", (it) => {
  it.effect("that were stored with conditions of 31 bytes get them in full", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, wanted)
      const { id: other } = yield* webhooks.create(account, wanted)
      const [full, short] = [`0x${"12".repeat(32)}`, `0x03${"ab".repeat(30)}`]
      const filters = { side: "BUY", condition_ids: [full, short] }
      yield* sql`update webhook set filters = ${JSON.stringify(filters)}::jsonb where id = ${id}`
      yield* Effect.provideService(padConditions, SqlClient, sql)
      const stored = yield* sql<{ filters: unknown }>`
        select filters from webhook where id in (${id}, ${other}) order by id <> ${id}`
      assert.deepStrictEqual(
        stored.map((row) => row.filters),
        [{ ...filters, condition_ids: [full, `${short}00`] }, {}],
      )
    }),
  )

  it.effect("store their secrets sealed and can open them", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const box = yield* SecretBox
      const { id: account } = yield* newAccount
      const { id, url, secret } = yield* webhooks.create(account, wanted)
      assert.strictEqual(url, "https://hooks.example.com/", "normalized")
      const first = (yield* rowOf(id))?.secret ?? new Uint8Array()
      assert.notInclude(Buffer.from(first).toString("latin1"), secret.slice(6))
      assert.strictEqual(Redacted.value(box.open(first)), secret)
      const rotated = yield* webhooks.rotate(account, id)
      const after = yield* rowOf(id)
      assert.deepStrictEqual(after?.previous_secret, first)
      assert.strictEqual(Redacted.value(box.open(after?.secret ?? first)), Redacted.value(rotated.secret))
    }),
  )

  it.effect("are checked by the addresses of their name, which may not resolve yet", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { id: account } = yield* newAccount
      const inside = yield* Effect.flip(webhooks.create(account, { ...wanted, url: "https://inside.example.com/" }))
      assert.strictEqual(inside._tag, "TargetRefused")
      const { id } = yield* webhooks.create(account, { ...wanted, url: "https://not-yet.example.com/" })
      const moved = yield* Effect.flip(webhooks.update(account, id, { url: "https://inside.example.com/" }))
      assert.strictEqual(moved._tag, "TargetRefused")
    }),
  )

  it.effect("are disabled with a reason, which resuming clears together with the failures", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, wanted)
      const ailing = sql`insert into webhook_health (webhook, failing_since, failures) values (${id}, now(), 3)`
      const failures = Effect.map(sql`select 1 from webhook_health where webhook = ${id}`, (rows) => rows.length)
      yield* ailing
      const disabled = yield* webhooks.disable(id, "too many failures")
      assert.deepInclude(disabled, { active: false, disabledReason: "too many failures" })
      assert.isNotNull(disabled.disabledAt)
      const described = yield* webhooks.update(account, id, { description: "still not active" })
      assert.deepInclude(described, { active: false, disabledReason: "too many failures" })
      assert.strictEqual(yield* failures, 1)
      const before = yield* rowOf(id)
      const resumed = yield* webhooks.update(account, id, { active: true })
      assert.deepInclude(resumed, { active: true, disabledAt: null, disabledReason: null })
      assert.isTrue(((yield* rowOf(id))?.revision ?? 0n) > (before?.revision ?? 0n))
      assert.strictEqual(yield* failures, 0)
      yield* webhooks.disable(id, "by hand")
      assert.deepInclude(yield* webhooks.enable(id), { active: true, disabledReason: null })
      assert.deepStrictEqual((yield* webhooks.findAny(id)).id, id)
      assert.strictEqual((yield* webhooks.listAll(1))[0]?.id, id)
      const nobodys = yield* Effect.flip(webhooks.disable("wh_000000000000" as WebhookId, "why not"))
      assert.strictEqual(nobodys._tag, "NoSuchWebhook")
    }),
  )

  it.effect("raise the revision only for what pollers read, and are not written if nothing changes", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const filters = { condition_ids: [`0x${"12".repeat(32)}`], wallet_addresses: [`0x${"11".repeat(20)}`] }
      const { id } = yield* webhooks.create(account, { ...wanted, filters })
      const revision = Effect.map(
        sql<{ revision: bigint }>`select revision from webhook_revision`,
        ([row]) => row?.revision,
      )
      const version = Effect.map(
        sql<{ at: string }>`select xmin::text as at from webhook where id = ${id}`,
        ([row]) => row?.at,
      )
      const before = yield* revision
      const written = yield* version
      const same = yield* webhooks.update(account, id, {
        url: "https://hooks.example.com",
        eventTypes: ["trade"],
        filters,
        active: true,
        description: null,
      })
      assert.deepStrictEqual(same, yield* webhooks.get(account, id))
      assert.strictEqual(yield* version, written)
      const moved = yield* webhooks.update(account, id, { url: "https://hooks.example.com/other", description: "mine" })
      assert.deepStrictEqual(moved, yield* webhooks.get(account, id))
      yield* webhooks.rotate(account, id)
      assert.strictEqual(yield* revision, before)
      for (const changes of [{ active: false }, { eventTypes: ["trade", "redemption"] as const }, { filters: {} }]) {
        const last = (yield* revision) ?? 0n
        yield* webhooks.update(account, id, changes)
        assert.strictEqual(yield* revision, last + 1n)
        assert.strictEqual((yield* rowOf(id))?.revision, last + 1n)
      }
    }),
  )

  it.effect("reset their failures with a new url", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, wanted)
      yield* sql`insert into webhook_health (webhook, failing_since, failures) values (${id}, now(), 3)`
      yield* webhooks.update(account, id, { description: "the same address" })
      assert.lengthOf(yield* sql`select 1 from webhook_health where webhook = ${id}`, 1)
      yield* webhooks.update(account, id, { url: "https://hooks.example.com/new" })
      assert.lengthOf(yield* sql`select 1 from webhook_health where webhook = ${id}`, 0)
    }),
  )

  it.effect("send nothing more if deleting one is interrupted before its history is gone", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, wanted)
      const { revision: before = 0n } = (yield* rowOf(id)) ?? {}
      yield* sql`
        insert into webhook_delivery (webhook, event_id, event_type, body, status, created_at)
        values (${id}, gen_random_uuid(), 'trade', '', 'pending', now())`
      const release = yield* hold("select from webhook_delivery for update")
      const removing = yield* Effect.forkChild(webhooks.remove(account, id))
      yield* eventually(
        "it is stopped",
        Effect.map(webhooks.get(account, id), ({ active }) => !active),
      )
      yield* Fiber.interrupt(removing)
      yield* release
      assert.isTrue(((yield* rowOf(id))?.revision ?? 0n) > before)
      yield* webhooks.remove(account, id)
      assert.isUndefined(yield* rowOf(id))
    }),
  )

  it.effect("have their secret replaced once by two requests with the same key", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const box = yield* SecretBox
      const { id: account } = yield* newAccount
      const { id, secret } = yield* webhooks.create(account, { ...wanted, requestKey: "made" })
      const twice = yield* Effect.all([webhooks.rotate(account, id, "again"), webhooks.rotate(account, id, "again")], {
        concurrency: 2,
      })
      const [first, second] = twice.map((rotated) => Redacted.value(rotated.secret))
      assert.strictEqual(first, second)
      assert.deepStrictEqual(twice[0].previousUntil, twice[1].previousUntil)
      const row = yield* rowOf(id)
      assert.strictEqual(Redacted.value(box.open(row?.previous_secret ?? new Uint8Array())), secret)
      assert.strictEqual(Redacted.value(box.open(row?.secret ?? new Uint8Array())), first)
      assert.strictEqual((yield* Effect.flip(webhooks.rotate(account, id, "made")))._tag, "RequestKeyReused")
      assert.notStrictEqual(Redacted.value((yield* webhooks.rotate(account, id, "later")).secret), first)
    }),
  )

  it.effect("delete a long history with them", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, wanted)
      const kept = yield* webhooks.create(account, wanted)
      for (const webhook of [id, kept.id])
        yield* sql`
          insert into webhook_attempt (webhook, event_id, event_type, attempt, success, latency_ms, at)
          select ${webhook}, 'test_' || n, 'trade', 1, true, 1, now() from generate_series(1, 20001) n`
      yield* sql`
        insert into webhook_delivery (webhook, event_id, event_type, body, status, created_at)
        select ${id}, gen_random_uuid(), 'trade', '', 'held', now() from generate_series(1, 10) n`
      yield* webhooks.remove(account, id)
      const left = yield* sql<{ webhook: string; n: number }>`
        select webhook, count(*)::int as n from webhook_attempt group by webhook`
      assert.deepStrictEqual(left, [{ webhook: kept.id, n: 20_001 }])
      assert.lengthOf(yield* sql`select 1 from webhook_delivery where webhook = ${id}`, 0)
    }),
  )

  it.effect("know the positions of watched wallets from the beginning", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sql } = yield* Postgres
      const { id: account } = yield* newAccount
      const watched = Effect.map(
        sql<{ address: Uint8Array }>`select address from webhook_watched_wallet order by address`,
        (rows) => rows.map(({ address }) => `0x${Buffer.from(address).toString("hex")}`),
      )
      const [one, two] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`]
      yield* webhooks.create(account, { ...wanted, filters: { wallet_addresses: [one] } })
      assert.deepStrictEqual(yield* watched, [])
      const { id } = yield* webhooks.create(account, {
        ...wanted,
        eventTypes: ["position_status_change"],
        filters: { wallet_addresses: [one] },
      })
      assert.deepStrictEqual(yield* watched, [one])
      yield* webhooks.update(account, id, { filters: { wallet_addresses: [one, two] } })
      assert.deepStrictEqual(yield* watched, [one, two])
    }),
  )

  it.effect("wait for a new secret after the service's secrets were abandoned", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { id: account } = yield* newAccount
      const { id } = yield* webhooks.create(account, { ...wanted, requestKey: "once" })
      yield* abandonKeys
      const lost = yield* webhooks.get(account, id)
      assert.deepInclude(lost, { active: false, hasSecret: false })
      assert.match(lost.disabledReason ?? "", /secret was lost/)
      const refusal = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
      const refusals = [
        yield* refusal(webhooks.update(account, id, { active: true })),
        yield* refusal(webhooks.enable(id)),
        yield* refusal(webhooks.create(account, wanted)),
      ]
      assert.deepStrictEqual(refusals, ["SecretLost", "SecretLost", "SecretAbandoned"])
    }),
  )
})
