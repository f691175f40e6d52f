import { bytes, decimal, duration, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { samples } from "../history.ts"
import { HourChart, Tag } from "../parts.tsx"
import { perProcess } from "../series.ts"
import type { Process } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const columns: ReadonlyArray<Column<Process>> = [
  { label: "Process", cell: ({ id }) => id },
  { label: "Roles", cell: ({ roles }) => roles.join(", ") },
  {
    label: "State",
    cell: ({ is_silent }) => (is_silent ? <Tag tone="down">silent</Tag> : <Tag tone="up">reports</Tag>),
  },
  { label: "Version", cell: ({ version }) => version },
  { label: "Memory", isNumber: true, cell: ({ rss_bytes }) => bytes(rss_bytes) },
  { label: "Heap", isNumber: true, cell: ({ heap_bytes }) => bytes(heap_bytes) },
  { label: "Loop lag", isNumber: true, cell: ({ loop_lag_ms }) => duration(loop_lag_ms) },
  { label: "CPU (cores)", isNumber: true, cell: ({ cpu_cores }) => decimal(cpu_cores) },
  { label: "Actors", isNumber: true, cell: ({ actors }) => whole(actors) },
  { label: "Started", cell: ({ started_at }) => <Time at={started_at} /> },
  { label: "Reported", cell: ({ reported_at }) => <Time at={reported_at} style="clock" /> },
]

/** The processes of the instance. */
export const Processes = () => {
  const loaded = useOps<{ readonly processes: ReadonlyArray<Process> }>("/processes")
  const all = samples.value
  return (
    <Show loaded={loaded}>
      {({ processes }) => (
        <>
          <Table
            label="Processes"
            columns={columns}
            rows={processes}
            rowKey={({ id }) => id}
            empty="No process has reported yet; they do every 10 s."
          />
          <div class="columns">
            <HourChart title="Memory" format={bytes} series={perProcess(all, ({ rss }) => rss)} />
            <HourChart
              title="Event loop lag"
              format={(ms) => `${whole(ms)} ms`}
              series={perProcess(all, ({ lag }) => lag)}
            />
          </div>
        </>
      )}
    </Show>
  )
}
