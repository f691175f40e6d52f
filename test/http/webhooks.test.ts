import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { webhookEventTypes } from "#src/webhooks/model.ts"
import { serving } from "#test/http/support/serving.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { call } from "./support/client.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { boundPort } from "./support/server.ts"
import { create, send, url } from "./support/webhooks.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1" })),
)

const wallet = `0x${"Ab".repeat(20)}`

const everything = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* Effect.forEach(
    ["webhook", "webhook_creation"],
    (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t`,
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join("\n")
})

layer(server, { excludeTestServices: true })("Webhooks over REST", (it) => {
  it.effect("can be created, read, changed, paused, resumed and deleted", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const made = yield* create(key, {
        event_types: ["trade", "redemption", "trade"],
        filters: { wallet_addresses: [wallet, wallet.toLowerCase()], condition_ids: [] },
        description: "mine",
      })
      assert.strictEqual(made.status, 201, made.text)
      assert.match(made.json.id, /^wh_[0-9a-f]{12}$/)
      assert.match(made.json.secret, /^whsec_[0-9a-f]{32}$/)
      assert.strictEqual(made.headers["cache-control"], "no-store")
      const { secret, ...rest } = made.json
      assert.deepStrictEqual(rest, {
        id: made.json.id,
        url,
        event_types: ["trade", "redemption"],
        filters: { wallet_addresses: [wallet.toLowerCase()] },
        ...{ confirmations: 3, active: true, seeding: false },
        description: "mine",
        created_at: made.json.created_at,
      })

      const path = `/v3/webhooks/${made.json.id}`
      const got = yield* askWith(key, path)
      assert.deepStrictEqual(got.json, {
        ...rest,
        has_secret: true,
        disabled_at: null,
        disabled_reason: null,
        updated_at: made.json.created_at,
      })
      const second = yield* create(key)
      const listed = yield* askWith(key, "/v3/webhooks/")
      assert.deepStrictEqual(
        listed.json.webhooks.map(({ id }: { id: string }) => id),
        [second.json.id, made.json.id],
      )
      assert.strictEqual(listed.json.count, 2)
      for (const answer of [got, listed]) assert.notInclude(answer.text, secret)
      assert.notInclude(yield* everything, secret)

      const other = "https://93.184.216.34/other"
      const changed = yield* send(key, "PUT", path, { url: other, active: false })
      assert.deepInclude(changed.json, { ...rest, url: other, active: false })
      assert.deepInclude((yield* send(key, "PUT", path, { description: null })).json, {
        active: false,
        description: null,
      })
      assert.deepInclude((yield* send(key, "PUT", path, { active: true })).json, { active: true })
      const replaced = yield* send(key, "PUT", path, { event_types: ["fee_earned"], filters: {} })
      assert.deepInclude(replaced.json, { event_types: ["fee_earned"], filters: {} })

      assert.deepStrictEqual((yield* send(key, "DELETE", path)).json, { deleted: true })
      assert.strictEqual((yield* askWith(key, path)).status, 404)
      assert.strictEqual((yield* send(key, "DELETE", path)).status, 404)
      const { sql } = yield* Postgres
      assert.lengthOf(yield* sql`select 1 from webhook_deleted where id = ${made.json.id}`, 1)
    }),
  )

  it.effect("start at the current event, and continue from there when their event types change", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { sql, tx } = yield* Postgres
      const log = yield* EventLog
      const happen = tx(log.append([{ kind: "score", ref: 1n }]))
      const sinceOf = (id: string) =>
        Effect.map(
          sql<{ since_seq: bigint; revision: bigint }>`select since_seq, revision from webhook where id = ${id}`,
          ([row]) => row,
        )
      yield* happen
      const { json } = yield* create(key, { filters: { min_amount_usd: 5 } })
      const begun = yield* sinceOf(json.id)
      assert.strictEqual(begun?.since_seq, yield* log.head)
      yield* happen
      yield* send(key, "PUT", `/v3/webhooks/${json.id}`, { filters: { min_amount_usd: 5 }, description: "the same" })
      const same = yield* sinceOf(json.id)
      assert.strictEqual(same?.since_seq, begun?.since_seq)
      assert.strictEqual(same?.revision, begun?.revision)
      yield* send(key, "PUT", `/v3/webhooks/${json.id}`, { filters: { min_amount_usd: 4 } })
      assert.strictEqual((yield* sinceOf(json.id))?.since_seq, begun?.since_seq)
    }),
  )

  it.effect("are visible only to their own account", () =>
    Effect.gen(function* () {
      const mine = yield* keyOf("growth")
      const other = yield* keyOf("growth")
      const { json } = yield* create(mine.key)
      const asked = [
        ["GET", "", undefined],
        ["PUT", "", { active: false }],
        ["DELETE", "", undefined],
        ["POST", "/test", undefined],
        ["POST", "/rotate-secret", undefined],
        ["GET", "/deliveries", undefined],
        ["POST", "/deliveries/evt_00000000-0000-5000-8000-000000000000/redeliver", undefined],
        ["POST", "/replay", { since: 0 }],
      ] as const
      for (const [method, path, body] of asked) {
        const theirs = yield* send(other.key, method, `/v3/webhooks/${json.id}${path}`, body)
        assert.strictEqual(theirs.status, 404, `${method} ${path}: ${theirs.text}`)
        for (const id of ["wh_000000000000", "nonsense", "%00", "x".repeat(3000)]) {
          const nobodys = yield* send(mine.key, method, `/v3/webhooks/${id}${path}`, body)
          assert.include([400, 404], nobodys.status, `${method} ${id.slice(0, 20)}${path}: ${nobodys.text}`)
        }
      }
      assert.strictEqual((yield* askWith(other.key, "/v3/webhooks")).json.count, 0)
      assert.deepInclude((yield* askWith(mine.key, `/v3/webhooks/${json.id}`)).json, { active: true })
    }),
  )

  it.effect("require a key with a paid plan", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      assert.strictEqual((yield* create(key)).status, 402)
      assert.strictEqual((yield* askWith(key, "/v3/webhooks/event-types")).status, 402)
      assert.strictEqual((yield* create("psg_live_nonsense")).status, 401)
      const paid = yield* keyOf("starter")
      const bearer = yield* call(yield* boundPort, "/v3/webhooks", { headers: { authorization: `Bearer ${paid.key}` } })
      assert.strictEqual(bearer.status, 200)
    }),
  )

  it.effect("are limited by the plan, also with concurrent requests", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const answers = yield* Effect.forEach(Array.from({ length: 14 }), () => create(key), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array.from({ length: 10 }, () => 201),
        ...Array.from({ length: 4 }, () => 409),
      ])
      const refused = answers.find(({ status }) => status === 409)
      assert.match(refused?.json.error, /starter plan has 10 webhooks/)
      const { json } = yield* askWith(key, "/v3/webhooks")
      assert.strictEqual(json.count, 10)
      yield* send(key, "DELETE", `/v3/webhooks/${json.webhooks[0].id}`)
      assert.strictEqual((yield* create(key)).status, 201)
    }),
  )

  it.effect("are created once for a repeated request", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const header = { "idempotency-key": "order 66" }
      const wanted = { filters: { side: "buy", tags: ["A"] }, secret: "a-secret-of-my-own" }
      const answers = yield* Effect.forEach(Array.from({ length: 5 }), () => create(key, wanted, header), {
        concurrency: "unbounded",
      })
      for (const { status, json } of answers) assert.deepStrictEqual([status, json], [201, answers[0]?.json])
      const first = answers[0]?.json
      assert.strictEqual(first.secret, "a-secret-of-my-own")
      const rotate = (again: string) =>
        send(key, "POST", `/v3/webhooks/${first.id}/rotate-secret`, undefined, { "idempotency-key": again })
      const rotated = yield* rotate("order 67")
      assert.deepStrictEqual((yield* rotate("order 67")).json, rotated.json)
      assert.strictEqual((yield* rotate("order 66")).status, 409)
      assert.deepStrictEqual(
        (yield* create(key, { ...wanted, filters: { tags: ["a"], side: "BUY" } }, header)).json,
        first,
      )
      const other = yield* create(key, { ...wanted, description: "another" }, header)
      assert.strictEqual(other.status, 409)
      assert.match(other.json.error, /Idempotency-Key/)
      assert.strictEqual((yield* askWith(key, "/v3/webhooks")).json.count, 1)
      const stranger = yield* keyOf("growth")
      const theirs = yield* create(stranger.key, wanted, header)
      assert.strictEqual(theirs.status, 201)
      assert.notStrictEqual(theirs.json.id, first.id)
      assert.notInclude(yield* everything, "a-secret-of-my-own")
      const { sql } = yield* Postgres
      yield* sql`update webhook_creation set at = at - interval '24 hours'`
      assert.strictEqual((yield* create(key, { description: "a day later" }, header)).json.description, "a day later")
      for (const wrong of ["", "x".repeat(256), "a\tb"])
        assert.strictEqual((yield* create(key, {}, { "idempotency-key": wrong })).status, 400, JSON.stringify(wrong))
    }),
  )

  it.effect("have secrets that can be rotated", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { json } = yield* create(key)
      const { sql } = yield* Postgres
      const secrets = Effect.map(
        sql<{ secret: Uint8Array; previous_secret: Uint8Array | null; previous_until: Date | null }>`
          select secret, previous_secret, previous_until from webhook where id = ${json.id}`,
        ([row]) => row,
      )
      const before = yield* secrets
      assert.isNull(before?.previous_secret)
      const rotated = yield* send(key, "POST", `/v3/webhooks/${json.id}/rotate-secret`)
      assert.strictEqual(rotated.status, 200)
      assert.match(rotated.json.secret, /^whsec_[0-9a-f]{32}$/)
      assert.notStrictEqual(rotated.json.secret, json.secret)
      assert.strictEqual(rotated.headers["cache-control"], "no-store")
      const after = yield* secrets
      assert.deepStrictEqual(after?.previous_secret, before?.secret)
      assert.strictEqual(after?.previous_until?.toISOString(), rotated.json.previous_valid_until)
      const updated = (yield* askWith(key, `/v3/webhooks/${json.id}`)).json.updated_at
      assert.strictEqual(Date.parse(rotated.json.previous_valid_until) - Date.parse(updated), 86_400_000)
    }),
  )

  it.effect("accept only filters that all their event types support", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      for (const [types, filters, field, error] of [
        [["trade"], { wallets: [wallet] }, "filters.wallets", /no filter "wallets"/],
        [["trade", "split"], { side: "BUY" }, "filters.side", /"side" does not apply to split/],
        [["large_trade"], {}, "filters.min_amount_usd", /large_trade requires the filter "min_amount_usd"/],
        [["position_status_change"], {}, "filters.wallet_addresses", /requires the filter "wallet_addresses"/],
        [
          ["trade"],
          { wallet_addresses: [wallet, "0x12"] },
          "filters.wallet_addresses.1",
          /0x and 40 hexadecimal digits/,
        ],
        [["trade"], { token_ids: [5] }, "filters.token_ids.0", /expected string/],
        [["trades"], {}, "event_types.0", /expected one of "trade"/],
        [[], {}, "event_types", /at least one of trade, large_trade/],
      ] as const) {
        const { status, json } = yield* create(key, { event_types: types, filters })
        assert.deepStrictEqual([status, json.field], [400, field], json.error)
        assert.match(json.error, error)
      }
      const { json } = yield* create(key, { event_types: ["trade"], filters: { side: "sell", min_amount_usd: 0.1 } })
      const path = `/v3/webhooks/${json.id}`
      const wrong = yield* send(key, "PUT", path, { event_types: ["split"] })
      assert.deepStrictEqual([wrong.status, wrong.json.field], [400, "filters.min_amount_usd"])
      assert.strictEqual((yield* send(key, "PUT", path, { event_types: ["split"], filters: {} })).status, 200)
      assert.strictEqual((yield* send(key, "PUT", path, { event_types: ["large_trade"] })).status, 400)
      assert.deepStrictEqual((yield* askWith(key, path)).json.event_types, ["split"])
    }),
  )

  it.effect("must have a public host, on creation and on change", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { json } = yield* create(key)
      for (const wrong of [
        "http://93.184.216.34/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://localhost/",
        "https://169.254.169.254/latest/meta-data",
        "https://93.184.216.34:22/",
        "https://me:secret@93.184.216.34/",
        "ftp://93.184.216.34/",
        "nonsense",
        "",
        `https://93.184.216.34/${"x".repeat(3000)}`,
      ]) {
        const refused = yield* create(key, { url: wrong })
        assert.deepStrictEqual([refused.status, refused.json.field], [400, "url"], wrong.slice(0, 50))
        assert.strictEqual((yield* send(key, "PUT", `/v3/webhooks/${json.id}`, { url: wrong })).status, 400)
      }
      assert.strictEqual((yield* askWith(key, `/v3/webhooks/${json.id}`)).json.url, url)
    }),
  )

  it.effect("refuse invalid bodies with the reason", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const { json } = yield* create(key)
      const body = (more: string) => `{"url":"${url}","event_types":["trade"],${more}}`
      for (const wrong of [
        "",
        "{",
        "null",
        "[]",
        '"text"',
        "{}",
        `{"url":"${url}"}`,
        `{"url":5,"event_types":["trade"]}`,
        `{"url":null,"event_types":["trade"]}`,
        `{"url":"${url}","event_types":"trade"}`,
        `{"url":"${url}","event_types":{}}`,
        body('"filters":[]'),
        body('"filters":null'),
        body('"filters":{"min_amount_usd":1e400}'),
        body('"filters":{"min_amount_usd":-1}'),
        body('"filters":{"tags":["a\\u0000"]}'),
        body('"filters":{"tags":["a\\ud800"]}'),
        body('"filters":{"__proto__":{"side":"BUY"}}'),
        body(`"filters":{"${"y".repeat(100_000)}":1}`),
        body('"description":5'),
        body('"description":"a\\u0007"'),
        body('"description":"a\\ud800"'),
        body(`"description":"${"x".repeat(501)}"`),
        body('"secret":"short"'),
        body('"secret":"sixteen is enough, spaces are not"'),
        body(`"secret":"${"x".repeat(129)}"`),
        body('"active":true'),
        body('"descripton":"mistyped"'),
      ]) {
        const answer = yield* send(key, "POST", "/v3/webhooks", wrong)
        assert.strictEqual(answer.status, 400, `${wrong.slice(0, 100)}: ${answer.text.slice(0, 300)}`)
        assert.isString(answer.json.error)
        assert.isBelow(answer.text.length, 3000)
      }
      const hidden = yield* send(key, "POST", "/v3/webhooks", body('"secret":"päss wörd of mine"'))
      assert.notInclude(hidden.text, "wörd")
      for (const wrong of [
        '{"active":"yes"}',
        '{"active":null}',
        '{"id":"wh_1"}',
        '{"secret":"a-new-secret-of-mine"}',
        "[]",
      ])
        assert.strictEqual((yield* send(key, "PUT", `/v3/webhooks/${json.id}`, wrong)).status, 400, wrong)
      assert.strictEqual((yield* send(key, "POST", "/v3/webhooks", "x", { "content-type": "text/plain" })).status, 415)
      const large = body(`"description":"${"x".repeat(1_100_000)}"`)
      assert.strictEqual((yield* send(key, "POST", "/v3/webhooks", large)).status, 413)
      assert.strictEqual((yield* askWith(key, "/v3/webhooks")).json.count, 1)
      assert.strictEqual((yield* send(key, "POST", "/v3/webhooks/event-types", "{}")).status, 405)
    }),
  )

  it.effect("can be previewed without being created", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const preview = (body: unknown) => send(key, "POST", "/v3/webhooks/preview", body)
      const { status, json, text } = yield* preview({ event_types: ["trade", "trade", "market_created"] })
      assert.strictEqual(status, 200, text)
      assert.deepInclude(json, { matched: 0, by_type: { trade: 0, market_created: 0 }, complete: true, samples: [] })
      assert.approximately(Date.parse(json.since), Date.now() - 86_400_000, 60_000)
      const wrong = yield* preview({ event_types: ["trade"], filters: { builder_codes: [`0x${"1".repeat(64)}`] } })
      assert.deepStrictEqual([wrong.status, wrong.json.field], [400, "filters.builder_codes"])
      assert.strictEqual((yield* preview({ event_types: ["trade"], url })).status, 400)
      assert.strictEqual((yield* askWith(key, "/v3/webhooks")).json.count, 0)
    }),
  )

  it.effect("list their event types with the schemas of the documentation", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { json } = yield* askWith(key, "/v3/webhooks/event-types/")
      assert.deepStrictEqual(
        json.event_types.map(({ name }: { name: string }) => name),
        [...webhookEventTypes],
      )
      const byName = new Map(json.event_types.map((type: { name: string }) => [type.name, type]))
      assert.deepInclude(byName.get("builder_trade"), {
        filters: ["builder_codes", "min_amount_usd"],
        required_filters: ["builder_codes"],
        exclusive: true,
        beta: false,
        cadence: "3 s",
        cadence_seconds: 3,
      })
      assert.deepInclude(byName.get("position_status_change"), { beta: true, exclusive: false, cadence_seconds: 30 })
      const document = (yield* call(yield* boundPort, "/openapi.json")).json
      assert.sameMembers(Object.keys(document.webhooks), [...webhookEventTypes])
      for (const { name, schema } of json.event_types) {
        assert.deepStrictEqual(schema.required, ["id", "type", "created_at", "data"])
        assert.deepStrictEqual(schema.properties.type.enum, [name])
        const { content } = document.webhooks[name].post.requestBody
        assert.deepStrictEqual(content["application/json"].schema, schema)
      }
      assert.isDefined(document.paths["/v3/webhooks/{id}/rotate-secret"].post.responses["402"])
    }),
  )
})
