/** A few choices side by side, of which one is pressed. */
export const Choice = ({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly onChange: (value: string) => void
}) => (
  <fieldset class="choice">
    <legend class="visually-hidden">{label}</legend>
    {options.map(([option, text]) => (
      <button
        key={option}
        type="button"
        class={`small ${option === value ? "" : "outline secondary"}`}
        aria-pressed={option === value}
        onClick={() => onChange(option)}
      >
        {text}
      </button>
    ))}
  </fieldset>
)
