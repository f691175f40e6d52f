import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Schema } from "./contract.ts"
import { Inline } from "./Inline.tsx"

type Schemas = Readonly<Record<string, Schema>>

const nameOf = ({ $ref }: Schema) => $ref?.split("/").at(-1)

const resolved = (schema: Schema, schemas: Schemas): Schema => {
  const name = nameOf(schema)
  return name === undefined ? schema : (schemas[name] ?? {})
}

const variantsOf = ({ anyOf, oneOf, allOf }: Schema) => anyOf ?? oneOf ?? allOf ?? []

/** A type in one line. */
export const typeText = (schema: Schema): string => {
  const name = nameOf(schema)
  if (name !== undefined) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ")
  const variants = variantsOf(schema)
  if (variants.length > 0) return variants.map(typeText).join(" | ")
  if (schema.type === "array") return `${typeText(schema.items ?? {})}[]`
  return schema.type ?? "any"
}

/** The schema with fields inside another: of a list its rows, of a nullable value the value. */
const inner = (schema: Schema, schemas: Schemas): ReadonlyArray<Schema> => {
  const found = resolved(schema, schemas)
  if (found.properties !== undefined) return [found]
  if (found.items !== undefined) return inner(found.items, schemas)
  if (typeof found.additionalProperties === "object") return inner(found.additionalProperties, schemas)
  return variantsOf(found).flatMap((each) => inner(each, schemas))
}

/** Opens on demand: schemas refer to each other. */
const Nested = ({ label, children }: { readonly label: string; readonly children: () => ComponentChildren }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children()}
    </details>
  )
}

const Field = ({
  name,
  schema,
  isRequired,
  schemas,
}: {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly schemas: Schemas
}) => {
  const parts = inner(schema, schemas)
  return (
    <li>
      <code>{name}</code> <span class="muted small">{typeText(schema)}</span>
      {!isRequired && <span class="muted small"> · optional</span>}
      {schema.description !== undefined && (
        <p class="small">
          <Inline text={schema.description} />
        </p>
      )}
      {parts.map((part, index) => (
        <Nested key={index} label={`Fields${parts.length > 1 ? ` (${index + 1} of ${parts.length})` : ""}`}>
          {() => <Fields schema={part} schemas={schemas} />}
        </Nested>
      ))}
    </li>
  )
}

const Fields = ({ schema, schemas }: { readonly schema: Schema; readonly schemas: Schemas }) => (
  <ul class="docs-fields">
    {Object.entries(schema.properties ?? {}).map(([name, field]) => (
      <Field
        key={name}
        name={name}
        schema={field}
        isRequired={schema.required?.includes(name) ?? false}
        schemas={schemas}
      />
    ))}
  </ul>
)

/** The fields of a schema, with their types and meanings. */
export const SchemaTree = ({ schema, schemas }: { readonly schema: Schema; readonly schemas: Schemas }) => {
  const parts = inner(schema, schemas)
  return (
    <>
      <p class="small">
        <strong>{typeText(schema)}</strong>
      </p>
      {parts.map((part, index) => (
        <Fields key={index} schema={part} schemas={schemas} />
      ))}
    </>
  )
}
