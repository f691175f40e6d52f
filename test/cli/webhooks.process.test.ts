import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { start } from "#test/support/processes/Process.ts"
import { sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"

const [quiet, loud, broken] = ["wh_000000000001", "wh_000000000002", "wh_000000000003"] as const
const account = "00000000-0000-4000-8000-000000000001"

/** Webhooks with pending, delivered and failed deliveries. */
const someWebhooks = Effect.gen(function* () {
  const { sql } = yield* Postgres
  yield* sql`insert into account (id, name, plan, active, created_at) values (${account}::uuid, 'ada', 'growth', true, now())`
  for (const id of [quiet, loud, broken]) {
    yield* sql`
      insert into webhook (id, account_id, url, event_types, filters, description, secret, since_seq, revision, created_at, updated_at)
      values (${id}, ${account}::uuid, 'https://hooks.example.com/in?token=1', '{trade}', '{"min_amount_usd": 5}',
        ${"odd \u001b[2J"}, '', 0, 0, now(), now())`
  }
  for (const [id, status] of [
    [quiet, "pending"],
    [quiet, "delivered"],
    [quiet, "failed"],
    [broken, "failed"],
    [broken, "failed"],
    [broken, "delivered"],
  ]) {
    yield* sql`
      insert into webhook_delivery (webhook, event_id, event_type, body, status, attempt, created_at, next_at)
      values (${id}, gen_random_uuid(), 'trade', '{}', ${status}, 5, now(),
        case when ${status} = 'pending' then now() + interval '1 hour' end)`
  }
})

/** A process takes seconds to start on a busy machine, so the test starts few, and all at once. */
layer(sandbox([]), { excludeTestServices: true })("presage webhooks", (it) => {
  it.effect("lists, shows, redelivers and disables webhooks", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* someWebhooks
      const env = yield* sandboxEnvironment
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const command = yield* start({ name: args.join(" "), file: "src/main.ts", args: ["webhooks", ...args], env })
        const code = yield* command.exit(120_000)
        assert.strictEqual(code, 0, command.log())
        return command.lines.join("\n")
      })
      const { listed, shown, again, disabled } = yield* Effect.all(
        {
          listed: run("list", "--json"),
          shown: run("show", quiet),
          again: run("redeliver", broken, "--failed", "--json"),
          disabled: run("disable", loud, "--reason", "it is loud"),
        },
        { concurrency: "unbounded" },
      )
      const all: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(listed)
      assert.lengthOf(all, 3)
      const first = all.find((each) => each["id"] === quiet)
      assert.deepInclude(first, { active: true, pending: 1, failed: 1, event_types: ["trade"], account_id: account })

      assert.match(shown, /^deliveries +pending 1, held 0, failed 1, over_cap 0$/m)
      assert.match(shown, /^state +active$/m)
      assert.notInclude(shown, "\u001b")

      assert.deepStrictEqual(JSON.parse(again), { queued: 2, over_cap: 0 })
      const [pending] = yield* sql<{ n: number }>`select count(*)::int as n from webhook_delivery
        where webhook = ${broken} and status = 'pending' and attempt = first_attempt`
      assert.strictEqual(pending?.n, 2)

      assert.match(disabled, /^webhook wh_000000000002: disabled .*: it is loud$/)
      const rows = yield* sql<{ id: string; disabled_reason: string }>`
        select id, disabled_reason from webhook where not active`
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [{ id: loud, disabled_reason: "it is loud" }],
      )
    }),
  )
})
