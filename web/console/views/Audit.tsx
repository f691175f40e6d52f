import { unknown } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import type { AuditLine } from "../shapes.ts"
import { useOps } from "../useOps.ts"

const columns: ReadonlyArray<Column<AuditLine>> = [
  { label: "When", cell: ({ at }) => <Time at={at} /> },
  { label: "Who", cell: ({ by }) => by },
  { label: "Action", cell: ({ action }) => action },
  { label: "On", cell: ({ subject }) => <code>{subject}</code> },
  { label: "Detail", cell: ({ detail }) => detail || unknown },
  { label: "Outcome", cell: ({ outcome }) => outcome ?? "unknown: the process ended" },
]

/** What operators did, with the command line or here. */
export const Audit = () => {
  const loaded = useOps<{ readonly lines: ReadonlyArray<AuditLine> }>("/audit", 10_000)
  return (
    <Show loaded={loaded}>
      {({ lines }) => (
        <Table
          label="Audit"
          columns={columns}
          rows={lines}
          rowKey={({ at, subject, action }) => `${at} ${action} ${subject}`}
          empty="Nothing was changed yet."
        />
      )}
    </Show>
  )
}
