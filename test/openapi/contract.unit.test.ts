import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import packageJson from "../../package.json" with { type: "json" }
import { address, document, type Json, operations, resolved, webhooks } from "./support/document.ts"

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(document as object, "contract")

/** What is wrong with an example, if anything. */
const problems = (schema: Json, example: unknown): string | undefined => {
  // References are of the whole document.
  const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'))
  const validate = ajv.compile(whole)
  return validate(example) ? undefined : ajv.errorsText(validate.errors).slice(0, 500)
}

const checked = (at: string, { schema, example }: Json): ReadonlyArray<string> => {
  if (example === undefined) return [`${at} has no example`]
  const wrong = problems(schema, example)
  return wrong === undefined ? [] : [`${at}: ${wrong}`]
}

describe("the contract", () => {
  it("names its address, licence and version", () => {
    assert.deepStrictEqual(
      document["servers"].map(({ url }: Json) => url),
      [address],
    )
    assert.strictEqual(document["info"].version, packageJson.version)
    assert.strictEqual(document["info"].license.identifier, packageJson.license)
  })

  it("contains no address of somebody's machine", () => {
    assert.notMatch(JSON.stringify(document), /localhost|127\.0\.0\.1|0\.0\.0\.0/)
  })

  it("names every schema of an answer and of a body, once", () => {
    const names = Object.keys(document["components"].schemas)
    assert.isAbove(names.length, 200)
    for (const name of names) assert.match(name, /^[A-Z][A-Za-z]+$/)
    for (const name of names) assert.notMatch(name, /Encoded$|_\d+$/)
    const inline = operations.flatMap(({ at, operation: { requestBody, responses } }) => {
      const answers = Object.entries<Json>(responses).filter(([status]) => status.startsWith("2"))
      return [requestBody ?? {}, ...answers.map(([, answer]) => answer)].flatMap(({ content = {} }: Json) => {
        const { schema } = content["application/json"] ?? {}
        return schema === undefined || JSON.stringify(schema).includes("$ref") ? [] : [at]
      })
    })
    assert.deepStrictEqual(inline, [])
  })

  it("says which parameters are numbers and booleans", () => {
    const byName = new Map<string, Set<string>>()
    for (const { operation } of operations)
      for (const { name, schema } of operation["parameters"] ?? [])
        byName.set(name, (byName.get(name) ?? new Set()).add(String(schema.type)))
    const numeric = [
      "limit",
      "offset",
      "levels",
      "size_usd",
      "min_amount_usd",
      "anchor_ts",
      "start_ts",
      "end",
      "window",
    ]
    for (const name of numeric)
      for (const type of byName.get(name) ?? ["missing"]) assert.include(["integer", "number"], type, name)
    for (const name of ["include_trades", "include_combos", "include_state", "neg_risk", "sponsored", "success"])
      assert.deepStrictEqual([...(byName.get(name) ?? [])], ["boolean"], name)
    for (const { at, operation } of operations)
      for (const { name, schema } of operation["parameters"] ?? []) {
        assert.notDeepEqual(schema.enum, ["true", "false"], `${at} ${name}`)
        assert.notMatch(String(schema.pattern), /\\d\*\\\.\?/, `${at} ${name}`)
      }
  })

  it("gives an example of every request and answer, which its schema allows", () => {
    const wrong = operations.flatMap(({ at, operation: { requestBody, responses, parameters = [] } }) => [
      ...(requestBody === undefined ? [] : checked(`${at} body`, requestBody.content["application/json"])),
      ...Object.entries<Json>(responses)
        .filter(([status]) => status.startsWith("2"))
        .flatMap(([status, answer]) => checked(`${at} ${status}`, answer["content"]["application/json"])),
      ...parameters
        .filter(({ required, example }: Json) => required || example !== undefined)
        .flatMap((parameter: Json) => checked(`${at} ${parameter["name"]}`, parameter)),
    ])
    assert.deepStrictEqual(wrong, [])
  })

  it("gives an example of every delivery to a webhook, which its schema allows", () => {
    assert.isAbove(webhooks.length, 10)
    const wrong = webhooks.flatMap(({ at, operation: { requestBody } }) =>
      checked(at, requestBody.content["application/json"]),
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("describes every error", () => {
    for (const { at, operation } of operations)
      for (const [status, response] of Object.entries<Json>(operation["responses"]).filter(([each]) => each > "299"))
        assert.match(resolved(response)["description"], /\w \w/, `${at} ${status}`)
  })
})
