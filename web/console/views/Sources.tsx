import { decimal, duration, perSecond, unknown, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { samples } from "../history.ts"
import { HourChart, Tag } from "../parts.tsx"
import { rates } from "../series.ts"
import type { Source } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const tones = { ok: "up", loading: "muted", late: "caution", stopped: "down", unknown: "muted" } as const

const errorsIn = ({ errors }: Source): string =>
  Object.entries(errors)
    .map(([kind, count]) => `${kind} ${whole(count)}`)
    .join(", ") || "none"

const columns: ReadonlyArray<Column<Source>> = [
  { label: "Source", cell: ({ source }) => source },
  { label: "State", cell: ({ state }) => <Tag tone={tones[state]}>{state}</Tag> },
  {
    label: "Age",
    isNumber: true,
    cell: ({ age_seconds: age }) => (age === null ? unknown : duration(age * 1000)),
  },
  { label: "Lag", isNumber: true, cell: ({ lag }) => whole(lag) },
  { label: "Rows/s", isNumber: true, cell: (each) => decimal(each.rows_per_second, 1) },
  { label: "Gaps open", isNumber: true, cell: ({ gaps }) => whole(gaps?.open) },
  { label: "Gaps lost", isNumber: true, cell: ({ gaps }) => whole(gaps?.lost) },
  { label: "Errors by kind", cell: errorsIn },
]

/** Data sources and their followers. */
export const Sources = () => {
  const loaded = useOps<{ readonly sources: ReadonlyArray<Source> }>("/sources")
  return (
    <Show loaded={loaded}>
      {({ sources }) => (
        <>
          <Table label="Sources" columns={columns} rows={sources} rowKey={({ source }) => source} />
          <p class="small muted">
            Lag is in blocks, books or events. Errors are counted since the running processes started.
          </p>
          <HourChart
            title="Rows by source"
            format={perSecond}
            series={rates(samples.value, {
              chain: (n) => n === "rows.chain",
              books: (n) => n === "rows.books",
              ticks: (n) => n === "rows.platform_oracle" || n === "rows.oracle_data_streams",
              catalogue: (n) => n === "rows.catalogue",
            })}
          />
        </>
      )}
    </Show>
  )
}
