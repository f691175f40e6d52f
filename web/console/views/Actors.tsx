import { whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { Tag } from "../parts.tsx"
import type { Actor } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const columns: ReadonlyArray<Column<Actor>> = [
  { label: "Actor", cell: ({ actor }) => actor },
  {
    label: "Runs in",
    cell: ({ process }) => process ?? <Tag tone="muted">no process reports it</Tag>,
  },
  { label: "Lease epoch", isNumber: true, cell: ({ epoch }) => String(epoch) },
  { label: "Taken", cell: ({ taken_at }) => <Time at={taken_at} /> },
  { label: "Restarts", isNumber: true, cell: ({ restarts }) => whole(restarts) },
]

/** Long-lived work: where each runs. */
export const Actors = () => {
  const loaded = useOps<{ readonly actors: ReadonlyArray<Actor> }>("/actors")
  return (
    <Show loaded={loaded}>
      {({ actors }) => (
        <Table
          label="Actors"
          columns={columns}
          rows={actors}
          rowKey={({ actor }) => actor}
          empty="No actor has run yet. Start a process with the role worker."
        />
      )}
    </Show>
  )
}
