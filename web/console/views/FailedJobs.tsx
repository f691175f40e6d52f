import { whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { type Ask, useAsk } from "../parts.tsx"
import type { FailedJob } from "../shapes.ts"
import { change } from "../token.ts"
import { useOps } from "../useOps.ts"

const retryOf = (queue: string, id: string): Ask => ({
  title: "Retry the job",
  text: `Job ${id} of ${queue} runs once more.`,
  action: "Retry",
  run: () => change(`/jobs/${queue}/failed/${id}/retry`, "POST"),
})

const dropOf = (queue: string, id: string): Ask => ({
  title: "Drop the job",
  text: `Job ${id} of ${queue} is deleted. This cannot be undone.`,
  action: "Drop",
  run: () => change(`/jobs/${queue}/failed/${id}`, "DELETE"),
})

const retryAllOf = (queue: string, total: number): Ask => ({
  title: "Retry all failed jobs",
  text: `${whole(total)} jobs of ${queue} run once more.`,
  action: "Retry all",
  run: () => change(`/jobs/${queue}/retry`, "POST"),
})

const dropAllOf = (queue: string, total: number): Ask => ({
  title: "Drop all failed jobs",
  text: `${whole(total)} jobs of ${queue} are deleted. This cannot be undone.`,
  action: "Drop all",
  run: () => change(`/jobs/${queue}/failed`, "DELETE"),
})

const columns = (queue: string, ask: (asked: Ask) => void): ReadonlyArray<Column<FailedJob>> => [
  { label: "Job", cell: ({ id }) => <code>{id}</code> },
  { label: "Failed", cell: ({ failed_at }) => <Time at={failed_at} /> },
  { label: "Attempts", isNumber: true, cell: ({ attempts }) => whole(attempts) },
  { label: "Reason", cell: ({ reason }) => reason },
  { label: "Payload", cell: ({ payload }) => <code>{payload}</code> },
  {
    label: "Actions",
    cell: ({ id }) => (
      <div class="row">
        <button type="button" class="small outline" onClick={() => ask(retryOf(queue, id))}>
          Retry
        </button>
        <button type="button" class="small outline secondary" onClick={() => ask(dropOf(queue, id))}>
          Drop
        </button>
      </div>
    ),
  },
]

/** Failed jobs of a queue, with their reasons. */
export const FailedJobs = ({
  queue,
  onChange,
  onClose,
}: {
  readonly queue: string
  readonly onChange: () => void
  readonly onClose: () => void
}) => {
  const loaded = useOps<{ readonly total: number; readonly jobs: ReadonlyArray<FailedJob> }>(`/jobs/${queue}/failed`)
  const { ask, view } = useAsk(() => {
    loaded.reload()
    onChange()
  })
  return (
    <section aria-label={`Failed jobs of ${queue}`}>
      <div class="spread">
        <h2>Failed jobs of {queue}</h2>
        <button type="button" class="small outline secondary" onClick={onClose}>
          Close
        </button>
      </div>
      {view}
      <Show loaded={loaded}>
        {({ total, jobs }) => (
          <>
            <Table
              label={`Failed jobs of ${queue}, newest first`}
              columns={columns(queue, ask)}
              rows={jobs}
              rowKey={({ id }) => id}
              empty="No failed jobs."
            />
            {total > 0 && (
              <p class="row">
                <button type="button" class="small outline" onClick={() => ask(retryAllOf(queue, total))}>
                  Retry all {whole(total)}
                </button>
                <button type="button" class="small outline secondary" onClick={() => ask(dropAllOf(queue, total))}>
                  Drop all {whole(total)}
                </button>
              </p>
            )}
          </>
        )}
      </Show>
    </section>
  )
}
