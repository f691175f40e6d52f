import type { ComponentChildren } from "preact"

export interface Stat {
  readonly label: string
  readonly value: ComponentChildren
  /** A colour: `up`, `down`, `caution` or `muted`. */
  readonly tone?: string
  /** A second, smaller line. */
  readonly note?: ComponentChildren
  readonly id?: string
}

/** Figures side by side, each with its name. */
export const Stats = ({ items }: { readonly items: ReadonlyArray<Stat> }) => (
  <dl class="stats">
    {items.map(({ label, value, tone, note, id }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd id={id} class={tone ?? ""}>
          {value}
          {note !== undefined && <small class="muted"> {note}</small>}
        </dd>
      </div>
    ))}
  </dl>
)
