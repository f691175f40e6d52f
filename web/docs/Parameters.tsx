import type { Parameter } from "./contract.ts"
import { Inline } from "./Inline.tsx"
import { typeText } from "./SchemaTree.tsx"

export type Values = Readonly<Record<string, string>>

const bounds = ({ schema }: Parameter): string =>
  [
    schema.minimum === undefined ? "" : `at least ${schema.minimum}`,
    schema.maximum === undefined ? "" : `at most ${schema.maximum}`,
    schema.default === undefined ? "" : `${schema.default} by default`,
  ]
    .filter((part) => part !== "")
    .join(", ")

const choicesOf = ({ schema }: Parameter): ReadonlyArray<string> | undefined =>
  schema.enum?.map(String) ?? (schema.type === "boolean" ? ["true", "false"] : undefined)

const Input = ({
  parameter,
  value,
  onChange,
}: {
  readonly parameter: Parameter
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const id = `parameter-${parameter.name}`
  const choices = choicesOf(parameter)
  if (choices !== undefined)
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">(not sent)</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    )
  return (
    <input
      id={id}
      type="text"
      inputMode={parameter.schema.type === "integer" ? "numeric" : "text"}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** The parameters of an operation with their meanings, as a form. */
export const Parameters = ({
  parameters,
  values,
  onChange,
}: {
  readonly parameters: ReadonlyArray<Parameter>
  readonly values: Values
  readonly onChange: (name: string, value: string) => void
}) => (
  <ul class="docs-fields">
    {parameters.map((parameter) => (
      <li key={`${parameter.in} ${parameter.name}`} class="docs-parameter">
        <label for={`parameter-${parameter.name}`}>
          <code>{parameter.name}</code>{" "}
          <span class="muted small">
            {parameter.in} · {parameter.schema.enum === undefined ? typeText(parameter.schema) : "one of a list"}
            {parameter.required === true ? " · required" : ""}
            {bounds(parameter) === "" ? "" : ` · ${bounds(parameter)}`}
          </span>
        </label>
        <Input
          parameter={parameter}
          value={values[parameter.name] ?? ""}
          onChange={(value) => onChange(parameter.name, value)}
        />
        <p class="small">
          <Inline text={parameter.description ?? ""} />
        </p>
      </li>
    ))}
  </ul>
)
