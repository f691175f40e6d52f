import { useEffect, useState } from "preact/hooks"
import { whole } from "../shared/format.ts"
import { request, withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { FailureNotice, Notice, Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useAction } from "../shared/useAction.ts"
import { useRequest } from "../shared/useRequest.ts"
import { AttemptDialog } from "./AttemptDialog.tsx"
import { Panel } from "./Page.tsx"
import type { Attempt, Attempts } from "./webhookTypes.ts"

const pageSize = 25

/** What came of an attempt. */
export const Result = ({ attempt }: { readonly attempt: Attempt }) =>
  attempt.success ? (
    <span class="up nowrap">{attempt.status_code} delivered</span>
  ) : (
    <span class="down">
      {attempt.status_code ?? ""} {attempt.error ?? attempt.error_class ?? "failed"}
    </span>
  )

/** Attempts of a webhook, newest first. A higher `round` loads them again. */
export const History = ({
  path,
  url,
  round,
  isActive,
}: {
  readonly path: string
  readonly url: string
  readonly round: number
  readonly isActive: boolean
}) => {
  const [success, setSuccess] = useState("")
  const [pages, setPages] = useState<ReadonlyArray<string>>([])
  const [shown, setShown] = useState<Attempt>()
  const [said, setSaid] = useState("")
  const { failure, run } = useAction()
  const before = pages.at(-1)
  const from = withQuery(`${path}/deliveries`, { limit: pageSize, success, before })
  const loaded = useRequest<Attempts>(from, before === undefined ? { everyMillis: 5000 } : {})
  useEffect(() => {
    if (round > 0) loaded.reload()
  }, [round])
  const redeliver = (attempt: Attempt) =>
    run(async () => {
      setSaid("")
      await request(`${path}/deliveries/${attempt.event_id}/redeliver`, { method: "POST" })
      setSaid(`${attempt.event_id} is queued again.`)
      loaded.reload()
    })
  return (
    <Panel
      title="History"
      tools={
        <label class="inline">
          Show
          <select
            value={success}
            onChange={({ currentTarget }) => {
              setSuccess(currentTarget.value)
              setPages([])
            }}
          >
            <option value="">all attempts</option>
            <option value="false">failed</option>
            <option value="true">successful</option>
          </select>
        </label>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} />}
      {said !== "" && <Notice>{said}</Notice>}
      <Show loaded={loaded}>
        {({ deliveries }) => (
          <>
            <Table
              label="Attempts"
              rows={deliveries}
              rowKey={(row) => row.cursor}
              empty="No attempts yet. Send a test to see one."
              columns={[
                { label: "Time", cell: (row) => <Time at={row.delivered_at} /> },
                { label: "Event", cell: (row) => row.event_type },
                { label: "Attempt", isNumber: true, cell: (row) => whole(row.attempt) },
                { label: "Result", cell: (row) => <Result attempt={row} /> },
                { label: "Latency", isNumber: true, cell: (row) => `${whole(row.latency_ms)} ms` },
                { label: "Delivery", cell: (row) => row.delivery_status ?? "test" },
                {
                  label: "Actions",
                  cell: (row) => (
                    <span class="actions">
                      <button type="button" class="small outline" onClick={() => setShown(row)}>
                        View
                      </button>
                      {row.delivery_status !== null && isActive && (
                        <button type="button" class="small outline" onClick={() => void redeliver(row)}>
                          Redeliver
                        </button>
                      )}
                    </span>
                  ),
                },
              ]}
            />
            <div class="row pager">
              {pages.length > 0 && (
                <button type="button" class="small outline" onClick={() => setPages(pages.slice(0, -1))}>
                  Newer
                </button>
              )}
              {deliveries.length === pageSize && (
                <button
                  type="button"
                  class="small outline"
                  onClick={() => setPages([...pages, deliveries.at(-1)?.cursor ?? ""])}
                >
                  Older
                </button>
              )}
            </div>
          </>
        )}
      </Show>
      <RequestLine path={from} />
      {shown !== undefined && (
        <AttemptDialog path={path} url={url} attempt={shown} onClose={() => setShown(undefined)} />
      )}
    </Panel>
  )
}
