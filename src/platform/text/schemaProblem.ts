import { type Schema, SchemaIssue } from "effect"

const flatten = SchemaIssue.makeFormatterStandardSchemaV1()

/** Rewrites schema messages for clients: "Expected a value between 1 and 100" → "expected a value between 1 and 100". */
export const tidyMessage = (message: string): string => {
  if (message.includes('"Infinity" | "-Infinity" | "NaN"') || message.endsWith("representing a finite number")) {
    return "expected a number"
  }
  const choices = /^Expected ("[^"]*"(?: \| "[^"]*")+)$/.exec(message)?.[1]
  if (choices !== undefined) return `expected one of ${choices.replaceAll(" | ", ", ")}`
  return message.replace(/^Expected /, "expected ")
}

/** The first issue of a schema error, with its path. */
export const firstProblem = (error: Schema.SchemaError) => {
  const [first] = flatten(error.issue).issues
  const path = (first?.path ?? []).map((key) => (typeof key === "object" ? key.key : key))
  return { path, message: first?.message ?? "Expected a valid value" }
}
