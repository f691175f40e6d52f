import { compact, duration, perSecond, unknown, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { samples } from "../history.ts"
import { HourChart, Tag } from "../parts.tsx"
import { rates } from "../series.ts"
import type { Deliveries as Answer } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const pollerColumns: ReadonlyArray<Column<Answer["pollers"][number]>> = [
  { label: "Poller", cell: ({ poller }) => poller },
  { label: "Read up to", isNumber: true, cell: ({ seq }) => `#${seq}` },
  { label: "Lag (events)", isNumber: true, cell: ({ lag }) => whole(lag) },
  { label: "Moved", cell: ({ moved_at }) => <Time at={moved_at} style="clock" /> },
]

const tones: Readonly<Record<string, string>> = { active: "up", paused: "muted", disabled: "down" }

const webhookColumns: ReadonlyArray<Column<Answer["troubled"][number]>> = [
  { label: "Webhook", cell: ({ id }) => <code>{id}</code> },
  { label: "Host", cell: ({ host }) => host },
  { label: "State", cell: ({ state }) => <Tag tone={tones[state] ?? "muted"}>{state}</Tag> },
  { label: "Pending", isNumber: true, cell: ({ pending }) => whole(pending) },
  { label: "Failed", isNumber: true, cell: ({ failed }) => whole(failed) },
  { label: "Failing since", cell: ({ failing_since }) => <Time at={failing_since} /> },
  { label: "Reason", cell: ({ disabled_reason }) => disabled_reason ?? unknown },
]

/** Webhook pollers and what is not delivered. */
export const Deliveries = () => {
  const loaded = useOps<Answer>("/deliveries")
  return (
    <Show loaded={loaded}>
      {(state) => (
        <>
          <Stats
            items={[
              { label: "Webhooks", value: whole(state.webhooks) },
              { label: "Disabled", value: whole(state.disabled) },
              { label: "Pending", value: compact(state.pending) },
              { label: "Due now", value: compact(state.due) },
              {
                label: "Oldest due",
                value: state.oldest_due_seconds === null ? unknown : duration(state.oldest_due_seconds * 1000),
              },
              { label: "Failed", value: compact(state.failed) },
              { label: "Held", value: compact(state.held) },
              { label: "Over the plan", value: compact(state.over_cap) },
            ]}
          />
          <HourChart
            title="Attempts"
            format={perSecond}
            series={rates(samples.value, {
              delivered: (n) => n === "webhooks.success",
              failed: (n) => n === "webhooks.failure",
            })}
          />
          <h2>Webhooks with a backlog</h2>
          <Table
            label="Webhooks with a backlog"
            columns={webhookColumns}
            rows={state.troubled}
            rowKey={({ id }) => id}
            empty="No webhook has a backlog."
          />
          <h2>Pollers</h2>
          <Table
            label="Pollers"
            columns={pollerColumns}
            rows={state.pollers}
            rowKey={({ poller }) => poller}
            empty="No poller has run: there are no webhooks yet."
          />
        </>
      )}
    </Show>
  )
}
