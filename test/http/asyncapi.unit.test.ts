import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { addressFor } from "#http/server/gatewayAddress.ts"
import { asyncapi } from "#src/streams/asyncapi.ts"
import { closeCodes } from "#src/streams/protocol/closeCodes.ts"
import { streamTypes } from "#src/streams/protocol/streamTypes.ts"

const official = createRequire(import.meta.url)("@asyncapi/specs/schemas/3.0.0-without-$id.json")
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false })

type Json = Readonly<Record<string, unknown>>
interface Message {
  readonly payload: Json
  readonly examples: ReadonlyArray<{ readonly payload: unknown }>
}

const documented = asyncapi(new URL("ws://localhost:8081/ws"), "1.2.3")
const document = JSON.parse(JSON.stringify(documented))

const referencesIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  )
}

const found = (ref: string) => {
  let at: unknown = document
  for (const step of ref.replace("#/", "").split("/")) at = (at as Json | undefined)?.[step]
  return at
}

describe("AsyncAPI document", () => {
  it("is valid AsyncAPI 3.0", () => {
    const isValid = ajv.compile(official)
    assert.isTrue(isValid(document), JSON.stringify(isValid.errors?.slice(0, 3)))
    const { asyncapi: _, ...broken } = document
    assert.isFalse(isValid(broken))
  })

  it("has no dangling references", () => {
    const references = referencesIn(document)
    assert.isAbove(references.length, 50)
    for (const reference of references) assert.isDefined(found(reference), reference)
  })

  it("has a valid example of every message", () => {
    for (const [name, { payload, examples }] of Object.entries<Message>(document.components.messages)) {
      const fits = ajv.compile(payload)
      assert.isNotEmpty(examples, name)
      for (const example of examples) assert.isTrue(fits(example.payload), `${name}: ${JSON.stringify(fits.errors)}`)
    }
  })

  it("contains every stream and every close code", () => {
    const { description } = document.info
    for (const type of streamTypes) assert.include(description, `\`${type}\``)
    for (const { code, meaning } of Object.values(closeCodes)) assert.include(description, `| ${code} | ${meaning} |`)
  })

  it("contains the address of the gateway", () => {
    const elsewhere = JSON.parse(JSON.stringify(asyncapi(new URL("wss://data.example/streams/ws"), "1")))
    const { host, protocol, pathname } = elsewhere.servers.gateway
    assert.deepStrictEqual(
      { host, protocol, pathname },
      { host: "data.example", protocol: "wss", pathname: "/streams" },
    )
    assert.deepInclude(document.servers.gateway, { host: "localhost:8081", protocol: "ws" })
  })
})

describe("addressFor", () => {
  const addresses: ReadonlyArray<readonly [publicUrl: string | undefined, host: string | undefined, expected: string]> =
    [
      [undefined, "localhost:8080", "ws://localhost:8081/ws"],
      [undefined, "[::1]:8080", "ws://[::1]:8081/ws"],
      [undefined, "data.example", "ws://data.example:8081/ws"],
      [undefined, undefined, "ws://localhost:8081/ws"],
      [undefined, "no host at all", "ws://localhost:8081/ws"],
      [undefined, "evil.example/path?x='\"", "ws://evil.example:8081/ws"],
      ["wss://stream.example/ws", "data.example", "wss://stream.example/ws"],
    ]
  for (const [publicUrl, host, expected] of addresses) {
    it(`is ${expected} for ${host} with ${publicUrl}`, () => {
      assert.strictEqual(addressFor({ publicUrl, host, port: 8081 }).href, expected)
    })
  }
})
