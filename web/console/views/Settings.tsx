import { useState } from "preact/hooks"
import { unknown } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Tag } from "../parts.tsx"
import type { Setting } from "../shapes.ts"
import { useOps } from "../useOps.ts"
import { TuneDialog } from "./TuneDialog.tsx"

const shownValue = (value: string) => (value === "" ? <span class="muted">unset</span> : <code>{value}</code>)

const columns = (edit: (setting: Setting) => void): ReadonlyArray<Column<Setting>> => [
  { label: "Setting", cell: ({ name, doc }) => <span title={doc}>{name}</span> },
  { label: "Value", cell: ({ value }) => shownValue(value) },
  {
    label: "Source",
    cell: ({ source }) => (source === "live override" ? <Tag tone="caution">{source}</Tag> : source),
  },
  { label: "Default", cell: (each) => shownValue(each.default) },
  {
    label: "Other processes",
    cell: ({ differs }) => differs.map(({ process, value }) => `${process}: ${value || "unset"}`).join(", ") || unknown,
  },
  {
    label: "Change",
    cell: (setting) =>
      setting.live ? (
        <button type="button" class="small outline" aria-label={`Tune ${setting.name}`} onClick={() => edit(setting)}>
          Tune
        </button>
      ) : (
        <span class="small muted">at start: {setting.env}</span>
      ),
  },
]

const matches = (text: string) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ name, doc, source }: Setting) => {
    const all = `${name} ${doc} ${source}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}

/** All settings with their source; those that are live can be tuned. */
export const Settings = () => {
  const loaded = useOps<{ readonly settings: ReadonlyArray<Setting> }>("/settings")
  const [filter, setFilter] = useState("")
  const [edited, setEdited] = useState<Setting>()
  return (
    <>
      <label for="filter">Find a setting</label>
      <input
        id="filter"
        type="search"
        value={filter}
        placeholder="Name, meaning or source"
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <Show loaded={loaded}>
        {({ settings }) => (
          <Table
            label="Settings"
            columns={columns(setEdited)}
            rows={settings.filter(matches(filter))}
            rowKey={({ name }) => name}
            empty="No setting matches."
          />
        )}
      </Show>
      {edited !== undefined && (
        <TuneDialog setting={edited} onChange={loaded.reload} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}
