import { useState } from "preact/hooks"
import { perSecond, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { samples } from "../history.ts"
import { HourChart } from "../parts.tsx"
import { rates } from "../series.ts"
import type { Queue } from "../shapes.ts"
import { useOps } from "../useOps.ts"
import { FailedJobs } from "./FailedJobs.tsx"

const columns = (open: (queue: string) => void): ReadonlyArray<Column<Queue>> => [
  { label: "Queue", cell: ({ queue }) => queue },
  { label: "Waiting", isNumber: true, cell: ({ waiting, prioritized }) => whole(waiting + prioritized) },
  { label: "Active", isNumber: true, cell: ({ active }) => whole(active) },
  { label: "Delayed", isNumber: true, cell: ({ delayed }) => whole(delayed) },
  {
    label: "Failed",
    isNumber: true,
    cell: ({ queue, failed }) =>
      failed === 0 ? (
        "0"
      ) : (
        <button type="button" class="small outline" aria-label={`Failed jobs of ${queue}`} onClick={() => open(queue)}>
          {whole(failed)}
        </button>
      ),
  },
  { label: "Done/min", isNumber: true, cell: ({ per_minute }) => whole(per_minute.done) },
  { label: "Retried/min", isNumber: true, cell: ({ per_minute }) => whole(per_minute.retried) },
  { label: "Failed/min", isNumber: true, cell: ({ per_minute }) => whole(per_minute.failed) },
]

/** Queues by state, and the failed jobs of one. */
export const Jobs = () => {
  const loaded = useOps<{ readonly queues: ReadonlyArray<Queue> }>("/jobs")
  const [opened, setOpened] = useState<string>()
  return (
    <Show loaded={loaded}>
      {({ queues }) => (
        <>
          <Table label="Queues" columns={columns(setOpened)} rows={queues} rowKey={({ queue }) => queue} />
          {opened !== undefined && (
            <FailedJobs key={opened} queue={opened} onChange={loaded.reload} onClose={() => setOpened(undefined)} />
          )}
          <HourChart
            title="Job runs"
            format={perSecond}
            series={rates(samples.value, {
              done: (n) => n.startsWith("jobs.") && n.endsWith(".done"),
              failed: (n) => n.startsWith("jobs.") && n.endsWith(".failed"),
              retried: (n) => n.startsWith("jobs.") && n.endsWith(".retried"),
            })}
          />
        </>
      )}
    </Show>
  )
}
