import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { statusEvery } from "#src/status/settings.ts"
import { askWith } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { ops as anyoneAsks, operatorServer, token } from "./support.ts"

const ops: typeof anyoneAsks = (path, asked = {}) =>
  anyoneAsks(path, { ...asked, headers: { ...asked.headers, authorization: `Bearer ${token}` } })

const settingNamed = (name: string) =>
  Effect.map(ops("/settings"), ({ json }) => json.settings.find((each: { name: string }) => each.name === name))

const lines = Effect.map(ops("/audit?limit=500"), ({ json }) => json.lines as ReadonlyArray<Record<string, string>>)

layer(operatorServer({ "console.token": token }), { excludeTestServices: true })("Changes by operators", (it) => {
  it.effect("tune a setting in running processes, with the rules and the audit of presage tune", () =>
    Effect.gen(function* () {
      const config = yield* Configuration
      const before = yield* settingNamed("status.every")
      assert.deepInclude(before, { value: "2s", source: "default", live: true })
      const tuned = yield* ops("/settings/status.every", { method: "PUT", body: { value: "3s" } })
      assert.strictEqual(tuned.status, 200, tuned.text)
      assert.deepInclude(tuned.json, { from: null, to: "3s", by: "console at 127.0.0.1" })
      yield* eventually(
        "the new cadence",
        Effect.sync(() => Duration.toMillis(config.get(statusEvery)) === 3000),
      )
      assert.deepInclude(yield* settingNamed("status.every"), { value: "3s", source: "live override" })

      for (const [name, value] of [
        ["status.every", "soon"],
        ["port", "81"],
        ["no-such", "1"],
      ] as const) {
        const refused = yield* ops(`/settings/${name}`, { method: "PUT", body: { value } })
        assert.strictEqual(refused.status, 400, name)
        assert.include(refused.json.error, "Not changed")
      }

      const reset = yield* ops("/settings/status.every", { method: "DELETE" })
      assert.deepInclude(reset.json, { from: "3s", to: null })
      yield* eventually(
        "the old cadence",
        Effect.sync(() => Duration.toMillis(config.get(statusEvery)) === 2000),
      )
      const tunes = (yield* lines).filter(({ action }) => action === "tune")
      assert.deepStrictEqual(
        tunes.map(({ by, subject, detail }) => [by, subject, detail]),
        [
          ["console at 127.0.0.1", "status.every", "3s -> no override"],
          ["console at 127.0.0.1", "status.every", "no override -> 3s"],
        ],
      )
    }),
  )

  it.effect("never show a secret", () =>
    Effect.gen(function* () {
      const { text, json } = yield* ops("/settings")
      assert.notInclude(text, token)
      assert.isString(json.settings.find(({ name }: { name: string }) => name === "console.token").value)
    }),
  )

  it.effect("create, change, deactivate and reactivate an account", () =>
    Effect.gen(function* () {
      const created = yield* ops("/accounts", { method: "POST", body: { name: "Ada", plan: "starter" } })
      assert.strictEqual(created.status, 201, created.text)
      const { account, api_key: key } = created.json
      assert.deepInclude(account, { name: "Ada", plan: "starter", active: true, standard_per_minute: 1000 })
      assert.strictEqual((yield* askWith(key, "/v1/keys")).status, 200)

      const patch = (body: unknown) => ops(`/accounts/${account.id}`, { method: "PATCH", body })
      const changed = yield* patch({ plan: "growth", standard_per_minute: 5 })
      assert.deepInclude(changed.json, {
        plan: "growth",
        standard_per_minute: 5,
        own_limits: { standard_per_minute: 5, heavy_per_minute: null },
      })
      const restored = yield* patch({ standard_per_minute: null })
      assert.deepInclude(restored.json, {
        standard_per_minute: 2000,
        own_limits: { standard_per_minute: null, heavy_per_minute: null },
      })

      const deactivated = yield* patch({ active: false })
      assert.isFalse(deactivated.json.active)
      yield* eventually(
        "its key is refused",
        Effect.map(askWith(key, "/v1/keys"), ({ status }) => status === 403),
      )
      assert.isTrue((yield* patch({ active: true })).json.active)

      const { json, text } = yield* ops("/accounts")
      assert.deepInclude(
        json.accounts.find(({ id }: { id: string }) => id === account.id),
        { name: "Ada", keys: 1, active: true },
      )
      assert.notInclude(text, key)
      const audit = yield* lines
      assert.isTrue(audit.some(({ action, subject }) => action === "create account" && subject === "Ada"))
      assert.isTrue(audit.some(({ action, detail }) => action === "change account" && detail === '{"active":false}'))
      assert.notInclude(JSON.stringify(audit), key)
    }),
  )

  it.effect("refuse bad input and change nothing", () =>
    Effect.gen(function* () {
      const bad = [
        ["POST", "/accounts", { name: "", plan: "starter" }],
        ["POST", "/accounts", { name: "x", plan: "gold" }],
        ["POST", "/accounts", { name: "x", plan: "free", extra: 1 }],
        ["PATCH", "/accounts/not-a-uuid", { active: false }],
        ["PATCH", "/accounts/00000000-0000-4000-8000-000000000000", {}],
        ["PATCH", "/accounts/00000000-0000-4000-8000-000000000000", { standard_per_minute: 0 }],
        ["POST", "/checks", { kind: "everything" }],
        ["PUT", "/settings/status.every", { value: 3 }],
      ] as const
      for (const [method, path, body] of bad) {
        const { status, text } = yield* ops(path, { method, body })
        assert.strictEqual(status, 400, `${method} ${path} ${JSON.stringify(body)} ${text}`)
      }
      const missing = yield* ops("/accounts/00000000-0000-4000-8000-000000000000", {
        method: "PATCH",
        body: { active: false },
      })
      assert.strictEqual(missing.status, 404)
    }),
  )
})
