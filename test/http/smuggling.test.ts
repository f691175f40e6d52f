import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { call, postJson, speak } from "./support/client.ts"
import { boundPort, testServer } from "./support/server.ts"

const server = testServer().pipe(Layer.provide(Logger.layer([])))

const post = "POST /v1/test/items HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
const get = "GET /v3/test/things/outer HTTP/1.1\r\n"
/** Hidden in a body, where a proxy in front may see it, or where it may end a body sooner than we do. */
const hidden = "GET /v3/test/things/smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
const chunked = `0\r\n\r\n${hidden}`
const long = `${hidden}${" ".repeat(5)}`

const answersIn = (heard: string) => heard.match(/HTTP\/1\.1 \d{3}/g) ?? []

layer(server, { excludeTestServices: true })("Ambiguous requests", (it) => {
  it.effect.each([
    ["a length and chunks", `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
    ["chunks and a length", `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n${chunked}`],
    ["another encoding", `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    ["an encoding after chunks", `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`],
    ["two encodings", `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`],
    ["a space before the colon", `${post}Transfer-Encoding : chunked\r\n\r\n${chunked}`],
    ["a vertical tab after the encoding", `${post}Transfer-Encoding: chunked\v\r\n\r\n${chunked}`],
    ["an encoding on a folded line", `${post}X: y\r\n Transfer-Encoding: chunked\r\nX: z\r\n\r\n${chunked}`],
    ["a folded length", `${post}Content-Length:\r\n 5\r\n\r\n${long}`],
    ["a length with a sign", `${post}Content-Length: +5\r\n\r\n${long}`],
    ["a negative length", `${post}Content-Length: -5\r\n\r\n${long}`],
    ["a hexadecimal length", `${post}Content-Length: 0x5\r\n\r\n${long}`],
    ["a length twice on a line", `${post}Content-Length: 5, 5\r\n\r\n${long}`],
    ["a length in two parts", `${post}Content-Length: 5 5\r\n\r\n${long}`],
    ["a length twice", `${post}Content-Length: 5\r\nContent-Length: 5\r\n\r\n${long}`],
    ["a length and a longer one", `${post}Content-Length: 5\r\nContent-Length: 85\r\n\r\n${long}`],
    ["an empty length", `${post}Content-Length: \r\n\r\n${long}`],
    ["a length beyond 64 bits", `${post}Content-Length: 18446744073709551621\r\n\r\n${long}`],
    ["a carriage return in a line", `${post}X: y\rContent-Length: 5\r\n\r\n${long}`],
    ["line feeds only", "GET /v3/test/things/outer HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello"],
    ["a line feed that ends the head", `${get}Host: x\r\nContent-Length: 5\r\n\n${long}`],
    ["a NUL in a name", `${get}Host: x\r\nContent-Length\0: 5\r\n\r\n${long}`],
    ["a space in a name", `${get}Host: x\r\nContent Length: 5\r\n\r\n${long}`],
    ["a line without a colon", `${get}Host: x\r\nContent-Length\r\n\r\n${long}`],
    ["a space before the first name", `${get} Host: x\r\n\r\n${hidden}`],
    ["two hosts", `${get}Host: x\r\nHost: y\r\n\r\n${hidden}`],
    ["the same host twice", `${get}Host: x\r\nX: y\r\nhost: x\r\n\r\n${hidden}`],
    ["a hexadecimal mark in a chunk's size", `${post}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`],
    ["a sign in a chunk's size", `${post}Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n${hidden}`],
    ["a chunk's size beyond 64 bits", `${post}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n${hidden}`],
    ["a chunk longer than its size", `${post}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n${chunked}`],
    ["a line feed that ends a chunk's size", `${post}Transfer-Encoding: chunked\r\n\r\n0\n\r\n${hidden}`],
    ["a line feed in a chunk's extension", `${post}Transfer-Encoding: chunked\r\n\r\n0;a\nb\r\n\r\n${hidden}`],
    ["a space before a chunk's size", `${post}Transfer-Encoding: chunked\r\n\r\n 0\r\n\r\n${hidden}`],
    ["HTTP/1.2", `GET /v3/test/things/outer HTTP/1.2\r\nHost: x\r\n\r\n${hidden}`],
    ["HTTP/2.0", `GET /v3/test/things/outer HTTP/2.0\r\nHost: x\r\n\r\n${hidden}`],
    ["HTTP/0.9", `GET /v3/test/things/outer\r\n${hidden}`],
    ["a space in the address", `GET /v3/test/things/outer HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`],
    ["chunks in HTTP/1.0", `POST /v1/test/items HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`],
  ] as const)("are refused at once, and what follows is never read: %s", ([, bytes]) =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const heard = yield* speak(port, Buffer.from(bytes, "latin1"))
      assert.deepStrictEqual(answersIn(heard), ["HTTP/1.1 400"], heard)
      assert.notInclude(heard, "smuggled")
      assert.match(heard, /connection: close/i)
    }),
  )

  it.effect.each([
    ["a body that GET does not need", `${get}Host: x\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n`],
    ["a body that is refused", `${post}Connection: close\r\nContent-Length: ${hidden.length}\r\n\r\n`],
    [
      "HEAD",
      `HEAD /v3/test/things/outer HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n`,
    ],
    [
      "an unknown address",
      `POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n`,
    ],
  ] as const)("are a body and nothing else: a request in %s", ([, head]) =>
    Effect.gen(function* () {
      const heard = yield* speak(yield* boundPort, head, hidden)
      assert.lengthOf(answersIn(heard), 1, heard)
      assert.notInclude(heard, "smuggled")
    }),
  )

  it.effect("a compressed body is refused, however small, so none is ever unpacked", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const encoding of ["gzip", "deflate", "br", "zstd", "gzip, gzip"]) {
        const answer = yield* call(port, "/v1/test/items", {
          method: "POST",
          headers: { "content-type": "application/json", "content-encoding": encoding },
          body: "{}",
        })
        assert.strictEqual(answer.status, 415, encoding)
        assert.match(answer.json.error, /compressed/)
      }
    }),
  )

  it.effect.each([
    ["arrays in arrays", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
    ["objects in objects", `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`],
    ["deep in a field", `{"name":${"[".repeat(400_000)}${"]".repeat(400_000)},"price":1,"details":{"tags":[]}}`],
    [
      "deep in the right field",
      `{"name":"a","price":1,"details":{"tags":${"[".repeat(400_000)}${"]".repeat(400_000)}}}`,
    ],
    ["never closed", "[".repeat(1_000_000)],
    ["many fields", `{${Array.from({ length: 80_000 }, (_, i) => `"f${i}":1`).join()}}`],
    ["many items", `{"name":"a","price":1,"details":{"tags":[${"1,".repeat(400_000)}1]}}`],
    ["a long number", `{"name":"a","price":${"9".repeat(900_000)},"details":{"tags":[]}}`],
    ["a long name of a field", `{"${"x".repeat(900_000)}":1}`],
    ["__proto__", `{"__proto__":{"name":"a"},"price":1,"details":{"tags":[]}}`],
  ] as const)("a body that is costly to read is refused: %s", ([, body]) =>
    Effect.gen(function* () {
      const port = yield* boundPort
      const { status, text } = yield* postJson(port, "/v1/test/items", body)
      assert.strictEqual(status, 400, text.slice(0, 500))
      assert.isBelow(text.length, 2_000)
      assert.strictEqual((yield* call(port, "/v1/test/logs")).status, 200)
    }),
  )

  it.effect("an address full of parameters is answered at once", () =>
    Effect.gen(function* () {
      const port = yield* boundPort
      for (const query of [
        "a&".repeat(7_000),
        "limit=1&".repeat(1_900),
        "%61=%62&".repeat(1_900),
        "=&".repeat(7_000),
      ]) {
        const { status, text } = yield* call(port, `/v1/test/items/1?${query}`)
        assert.strictEqual(status, 400, query.slice(0, 20))
        assert.isBelow(text.length, 2_000)
      }
    }),
  )
})
