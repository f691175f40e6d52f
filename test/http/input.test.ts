import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { call, postJson } from "./support/client.ts"
import { boundPort, testServer } from "./support/server.ts"

const server = testServer({ env: { HTTP_BODY_LIMIT: "200000" } }).pipe(Layer.provide(Logger.layer([])))
const item = { name: "a", price: 1.5, details: { tags: ["x"] } }

layer(server, { excludeTestServices: true })("Input checks", (it) => {
  it.effect("a valid request passes", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const got = yield* call(port, "/v1/test/items/7?token=t&limit=5&tag=a&tag=b")
      assert.deepStrictEqual(got.json, { seen: "7 t 5 a+b" })
      assert.deepStrictEqual((yield* postJson(port, "/v1/test/items", item)).json, { seen: "a" })
      assert.deepStrictEqual((yield* call(port, "/v1/test/items/7?token=t&tag=a")).json, { seen: "7 t - a" })
    }),
  )

  it.effect.each([
    ["missing parameter", "7", "token", /Parameter "token" is required: the id of the token\./],
    [
      "out of range",
      "7?token=t&limit=500",
      "limit",
      /Parameter "limit": expected a value between 1 and 100, got "500"/,
    ],
    ["not a number", "7?token=t&limit=abc", "limit", /Parameter "limit": expected a number, got "abc"/],
    ["empty number", "7?token=t&limit=", "limit", /Parameter "limit": expected a number/],
    ["not one of the choices", "7?token=t&order=up", "order", /expected one of "asc", "desc", got "up"/],
    ["repeated single value", "7?token=a&token=b", "token", /Parameter "token" takes one value but is given 2 times/],
    ["wrong path parameter", "seven?token=t", "id", /Parameter "id": expected a number, got "seven"/],
    ["misspelt name", "7?token=t&limt=5", "limt", /Unknown parameter "limt"\. Did you mean "limit"\?/],
    [
      "unknown name",
      "7?token=t&zebra=5",
      "zebra",
      /Unknown parameter "zebra"\. Known parameters: token, limit, order, tag/,
    ],
    ["looks like the key", "7?token=t&keys=5", "keys", /Unknown parameter "keys"/],
    ["inherited name", "7?token=t&__proto__=5", "__proto__", /Unknown parameter "__proto__"/],
    ["broken percent-encoding", "7?token=%E0%A4%A", "token", /Parameter "token" has a broken percent-encoding/],
    ["encoded NUL", "7?token=a%00b", "token", /Parameter "token" must not contain a NUL/],
  ] as const)("is refused with the name of the parameter: %s", ([, address, param, error]) =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, `/v1/test/items/${address}`)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.json.param, param)
      assert.match(answer.json.error, error)
      assert.isString(answer.headers["x-request-id"])
    }),
  )

  it.effect("the reserved parameter key is accepted", () =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, "/v1/test/items/7?token=t&key=abc")
      assert.strictEqual(answer.status, 200)
    }),
  )

  it.effect.each([
    ["missing field", { ...item, name: undefined }, "name", /Field "name" is required/],
    ["wrong type", { ...item, price: "x" }, "price", /Field "price": expected a number|Field "price": expected number/],
    ["nested", { ...item, details: { tags: ["a", 3] } }, "details.tags.1", /Field "details\.tags\.1": expected string/],
    ["not JSON", "{nope", undefined, /The body is not valid JSON/],
    ["empty", "", undefined, /The body is invalid: expected object/],
    ["a list", "[]", undefined, /The body is invalid: expected object/],
    ["raw NUL", '{"name":"\0"}', undefined, /The body is not valid JSON/],
    ["escaped NUL", '{"name":"a\\u0000"}', undefined, /must not contain NUL/],
  ] as const)("is refused with the name of the field: %s", ([, body, field, error]) =>
    Effect.gen(function* () {
      const answer = yield* postJson(yield* boundPort, "/v1/test/items", body)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.json.field, field)
      assert.match(answer.json.error, error)
    }),
  )

  it.effect("a backslash that only looks like an escaped NUL is accepted", () =>
    Effect.gen(function* () {
      const answer = yield* postJson(yield* boundPort, "/v1/test/items", { ...item, name: "\\u0000" })
      assert.deepStrictEqual(answer.json, { seen: "\\u0000" })
    }),
  )

  it.effect("a body of another content type is refused with 415", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const headers = { "content-type": "text/plain" }
      const answer = yield* call(port, "/v1/test/items", { method: "POST", headers, body: "hello" })
      assert.strictEqual(answer.status, 415)
      assert.match(answer.json.error, /must be application\/json, got text\/plain/)
    }),
  )

  it.effect("a body that is too large is refused with 413", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const large = { ...item, name: "x".repeat(300_000) }
      const answer = yield* postJson(port, "/v1/test/items", large)
      assert.strictEqual(answer.status, 413)
      assert.match(answer.json.error, /larger than the limit of 200000 bytes/)
      const fits = { ...item, name: "x".repeat(190_000) }
      assert.strictEqual((yield* postJson(port, "/v1/test/items", fits)).status, 200)
    }),
  )

  it.effect("a trailing slash is accepted", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      assert.deepStrictEqual((yield* call(port, "/v3/test/things/a/")).json, { seen: "a" })
      assert.deepStrictEqual((yield* call(port, "/v3/test/things/a")).json, { seen: "a" })
      assert.strictEqual((yield* call(port, "/v3/test/things/a/?x=1")).status, 400)
    }),
  )

  it.effect("path parameters keep their case and length", () =>
    Effect.gen(function* () {
      const name = "AbC".repeat(300)
      assert.deepStrictEqual((yield* call(yield* boundPort, `/v3/test/things/${name}`)).json, { seen: name })
    }),
  )
})

layer(server, { excludeTestServices: true })("Internal errors", (it) => {
  it.effect.each(["/v1/test/boom", "/v1/test/bad-answer"])("are a 500 without details: %s", (path) =>
    Effect.gen(function* () {
      const answer = yield* call(yield* boundPort, path, { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(answer.json, { error: "Internal error.", request_id: "mine-1" })
    }),
  )
})
