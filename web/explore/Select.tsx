/** A labelled choice. `options` are pairs of value and label. */
export const Select = ({
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
  <label>
    {label}
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
