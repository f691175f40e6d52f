import { type Schema, SchemaAST, type SchemaIssue } from "effect"
import type { HttpApiSchemaError } from "effect/unstable/httpapi/HttpApiError"
import { firstProblem, tidyMessage } from "#src/platform/text/schemaProblem.ts"
import { BadInput } from "../server/errors.ts"
import { declaredRefusal } from "./parameter.ts"

export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

const at = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((v, key) => (typeof v === "object" && v !== null ? Reflect.get(v, key) : undefined), value)

/** Description of a missing field in the contract. */
const description = (issue: SchemaIssue.Issue, name: PropertyKey | undefined): string | undefined => {
  if (issue._tag === "Composite" && SchemaAST.isObjects(issue.ast)) {
    const property = issue.ast.propertySignatures.find((p) => p.name === name)
    const text = property && SchemaAST.resolveDescription(property.type)
    if (text !== undefined) return text
  }
  const inner = "issues" in issue ? issue.issues : "issue" in issue ? [issue.issue] : []
  for (const child of inner) {
    const text = description(child, name)
    if (text !== undefined) return text
  }
  return undefined
}

const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`)

/** Explains which part of the request violates the contract, and what is expected. */
export const wrongInput = (
  kind: HttpApiSchemaError["kind"],
  cause: Schema.SchemaError,
  given: unknown = undefined,
): BadInput => {
  const refusal = declaredRefusal(cause.issue)
  if (refusal !== undefined) return refusal
  const { path, message } = firstProblem(cause)
  if (kind === "Payload" && path.length === 0) {
    if (message.includes("valid JSON")) return new BadInput({ error: "The body is not valid JSON." })
    return new BadInput({ error: sentence(`The body is invalid: ${tidyMessage(message)}`) })
  }
  const name = path.map(String).join(".")
  const location = kind === "Payload" ? "Field" : kind === "Headers" ? "Header" : "Parameter"
  const pointer = kind === "Payload" ? { field: name } : { param: name }
  const value = at(given, path)
  if (message === "Missing key") {
    const expected = description(cause.issue, path.at(-1))
    return new BadInput({
      error: sentence(`${location} "${name}" is required${expected === undefined ? "" : `: ${expected}`}`),
      ...pointer,
    })
  }
  if (kind === "Query" && Array.isArray(value) && path.length === 1) {
    return new BadInput({
      error: `Parameter "${name}" takes one value but is given ${value.length} times.`,
      ...pointer,
    })
  }
  const got = value === undefined ? "" : `, got ${shown(value)}`
  // A message that does not start with "expected" already says what is wrong.
  if (typeof value === "string" && /^-?\d{16,}$/.test(value) && /^expected /i.test(message)) {
    return new BadInput({ error: `${location} "${name}": expected a number of fewer digits${got}.`, ...pointer })
  }
  return new BadInput({ error: sentence(`${location} "${name}": ${tidyMessage(message)}${got}`), ...pointer })
}
