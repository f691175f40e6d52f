/** The part of a JSON Schema that decides on the field of a form. */
export interface FieldSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string | number>
  readonly items?: FieldSchema
  readonly anyOf?: ReadonlyArray<FieldSchema>
}

export type FieldKind = "list" | "choices" | "choice" | "number" | "text"

/** Numbers and words, as in `confirmations`, are alternatives with choices of their own. */
const valuesIn = ({ enum: values, anyOf = [] }: FieldSchema): ReadonlyArray<string | number> =>
  values ?? anyOf.flatMap(valuesIn)

export const choicesOf = (schema: FieldSchema): ReadonlyArray<string> =>
  valuesIn(schema.type === "array" ? (schema.items ?? {}) : schema).map(String)

const isNumeric = ({ type }: FieldSchema) => type === "number" || type === "integer"

export const kindOf = (schema: FieldSchema): FieldKind => {
  const hasChoices = choicesOf(schema).length > 0
  if (schema.type === "array") return hasChoices ? "choices" : "list"
  if (hasChoices) return "choice"
  return isNumeric(schema) ? "number" : "text"
}

/** What was typed, as the value of the field; undefined if nothing was. */
export const typedValue = (schema: FieldSchema, text: string): unknown => {
  const trimmed = text.trim()
  if (trimmed === "") return undefined
  const choice = valuesIn(schema).find((value) => String(value) === trimmed)
  if (choice !== undefined) return choice
  if (schema.type !== "array") return isNumeric(schema) ? Number(trimmed) : trimmed
  const items = trimmed.split(/[\n,]/).flatMap((item) => item.trim() || [])
  return isNumeric(schema.items ?? {}) ? items.map(Number) : items
}

/** The opposite of `typedValue`. */
export const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : Array.isArray(value) ? value.join("\n") : String(value)

/** Typed fields as an object, without those that are empty. */
export const valuesOf = (
  schemas: Readonly<Record<string, FieldSchema>>,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const value = typedValue(schemas[name] ?? {}, text)
      return value === undefined ? [] : [[name, value]]
    }),
  )
