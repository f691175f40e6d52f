import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { operatorServer, ops, token } from "./support.ts"

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const forwarded = { "x-forwarded-for": "192.0.2.7" }

layer(operatorServer({ "console.token": token }), { excludeTestServices: true })("The API of operators", (it) => {
  it.effect("is open with the token, and to nobody without it", () =>
    Effect.gen(function* () {
      for (const headers of [{}, forwarded]) {
        const { status, json } = yield* ops("/processes", { headers })
        assert.strictEqual(status, 401)
        assert.include(json.hint, "CONSOLE_TOKEN")
        assert.strictEqual((yield* ops("/processes", { headers: { ...headers, ...bearer(token) } })).status, 200)
      }
    }),
  )

  it.effect("refuses requests that a proxy forwards without the token", () =>
    Effect.gen(function* () {
      for (const name of ["x-forwarded-for", "x-real-ip", "forwarded", "via"]) {
        const { status, json } = yield* ops("/accounts", { headers: { [name]: "192.0.2.7" } })
        assert.strictEqual(status, 401, name)
        assert.include(json.hint, "CONSOLE_TOKEN")
        assert.notProperty(json, "accounts")
      }
    }),
  )

  it.effect("refuses a wrong token also from this machine, and says what is wrong", () =>
    Effect.gen(function* () {
      for (const wrong of ["x", token.slice(0, -1), `${token}x`, ""]) {
        const { status, json } = yield* ops("/processes", { headers: bearer(wrong) })
        assert.strictEqual(status, 401, wrong)
        assert.include(json.hint, "CONSOLE_TOKEN")
      }
    }),
  )

  it.effect("is not opened by an API key, however it is sent", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      assert.strictEqual((yield* ops("/processes", { headers: bearer(key) })).status, 401)
      assert.strictEqual((yield* ops("/processes", { headers: { ...forwarded, "x-api-key": key } })).status, 401)
      assert.strictEqual((yield* ops(`/processes?key=${key}`, { headers: forwarded })).status, 401)
    }),
  )

  it.effect("limits guesses of the token by address", () =>
    Effect.gen(function* () {
      const headers = bearer("guess")
      let last = 401
      for (let tries = 0; last === 401 && tries < 200; tries++) last = (yield* ops("/processes", { headers })).status
      assert.strictEqual(last, 429)
      assert.strictEqual((yield* ops("/processes", { headers: bearer(token) })).status, 200)
    }),
  )

  it.effect("has a document of its own, and is not in the public one", () =>
    Effect.gen(function* () {
      const { status, json } = yield* ops("/openapi.json", { headers: bearer(token) })
      assert.strictEqual(status, 200)
      assert.isTrue(Object.keys(json.paths).every((path) => path.startsWith("/ops/v1/")))
      assert.includeMembers(Object.keys(json.paths), ["/ops/v1/overview", "/ops/v1/settings/{name}"])
    }),
  )
})

layer(operatorServer(), { excludeTestServices: true })("Without a token", (it) => {
  it.effect("refuses other names of this machine, and pages of other origins", () =>
    Effect.gen(function* () {
      const renamed = yield* ops("/processes", { headers: { host: "evil.example:8080" } })
      assert.strictEqual(renamed.status, 421)
      for (const headers of [
        { host: "localhost:8080", origin: "http://evil.example" },
        { host: "localhost:8080", origin: "http://localhost:3000" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
      ]) {
        const { status, json } = yield* ops("/processes", { headers })
        assert.strictEqual(status, 403, JSON.stringify(headers))
        assert.include(json.error, "another origin")
      }
      const own = { host: "localhost:8080", origin: "http://localhost:8080", "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* ops("/processes", { headers: own })).status, 200)
    }),
  )

  it.effect("changes nothing for a request that a form could send", () =>
    Effect.gen(function* () {
      const body = { name: "forged", plan: "free" }
      const without = yield* ops("/accounts", {
        method: "POST",
        body,
        headers: { "x-presage-console": "" },
      })
      assert.strictEqual(without.status, 403)
      const asText = yield* ops("/accounts", { method: "POST", body, headers: { "content-type": "text/plain" } })
      assert.strictEqual(asText.status, 415)
      const { json } = yield* ops("/accounts")
      assert.notInclude(
        json.accounts.map(({ name }: { name: string }) => name),
        "forged",
      )
    }),
  )

  it.effect("only the machine itself is admitted, and the answer names the setting", () =>
    Effect.gen(function* () {
      const local = yield* ops("/processes")
      assert.strictEqual(local.status, 200, local.text)
      assert.strictEqual(local.headers["cache-control"], "no-store")
      const { status, json } = yield* ops("/processes", { headers: { ...forwarded, ...bearer("anything") } })
      assert.strictEqual(status, 401)
      assert.include(json.hint, "CONSOLE_TOKEN")
    }),
  )
})
