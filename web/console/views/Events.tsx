import { compact, perSecond, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { samples } from "../history.ts"
import { HourChart } from "../parts.tsx"
import { rates } from "../series.ts"
import type { EventLog } from "../shapes.ts"
import { useOps } from "../useOps.ts"

type Recent = EventLog["recent"][number]

const columns: ReadonlyArray<Column<Recent>> = [
  { label: "Seq", cell: ({ seq }) => <span class="figures">{seq}</span> },
  { label: "Kind", cell: ({ kind }) => kind },
  { label: "Recorded", cell: ({ recorded_at }) => <Time at={recorded_at} style="clock" /> },
]

/** The event log, its tail in Redis and the relay between them. */
export const Events = () => {
  const loaded = useOps<EventLog>("/events")
  return (
    <Show loaded={loaded}>
      {(log) => (
        <>
          <Stats
            items={[
              { label: "Head", value: `#${log.head}` },
              { label: "Oldest kept", value: `#${log.oldest}` },
              { label: "Tail in Redis", value: `${compact(log.tail_length)} events` },
              { label: "Tail ends at", value: `#${log.tail_last}` },
              { label: "Relay lag", value: `${whole(log.relay_lag)} events` },
              { label: "Newest event", value: <Time at={log.newest_at} style="clock" /> },
            ]}
          />
          <HourChart
            title="Events relayed"
            format={perSecond}
            series={rates(samples.value, { events: (n) => n === "rows.event_log" })}
          />
          <h2>Newest events</h2>
          <Table label="Newest events" columns={columns} rows={log.recent} rowKey={({ seq }) => seq} />
        </>
      )}
    </Show>
  )
}
