import { useId } from "preact/hooks"
import { choicesOf, type FieldSchema, kindOf } from "./schema.ts"

interface Props {
  readonly name: string
  readonly schema: FieldSchema
  readonly text: string
  readonly isRequired?: boolean
  readonly onText: (text: string) => void
}

const Choices = ({ name, schema, text, onText }: Props) => {
  const chosen = text.split("\n").filter((each) => each !== "")
  const toggle = (choice: string) =>
    onText((chosen.includes(choice) ? chosen.filter((each) => each !== choice) : [...chosen, choice]).join("\n"))
  return (
    <fieldset class="choices">
      <legend>{name}</legend>
      {choicesOf(schema).map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
          {choice}
        </label>
      ))}
    </fieldset>
  )
}

/** A field of a form, made from its JSON Schema. */
export const SchemaField = (props: Props) => {
  const { name, schema, text, isRequired = false, onText } = props
  const id = useId()
  const kind = kindOf(schema)
  if (kind === "choices") return <Choices {...props} />
  const common = { id, required: isRequired, "aria-describedby": `${id}-about`, value: text }
  return (
    <div class="field">
      <label for={id}>
        {name} {isRequired && <span class="caution">required</span>}
      </label>
      {kind === "list" ? (
        <textarea
          {...common}
          rows={2}
          spellcheck={false}
          placeholder="one per line"
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      ) : kind === "choice" ? (
        <select {...common} onChange={({ currentTarget }) => onText(currentTarget.value)}>
          <option value="">any</option>
          {choicesOf(schema).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === "number" ? (
        <input
          {...common}
          type="number"
          min={0}
          step="any"
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      ) : (
        <input {...common} type="text" onInput={({ currentTarget }) => onText(currentTarget.value)} />
      )}
      <small id={`${id}-about`} class="muted">
        {schema.description}
      </small>
    </div>
  )
}
