import { whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { Dialog } from "../shared/ui/Dialog.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Result } from "./History.tsx"
import { Json } from "./Json.tsx"
import type { Attempt, Attempts, Delivery } from "./webhookTypes.ts"

const isTest = ({ event_id }: Attempt) => event_id.startsWith("test_")

/** The request of an attempt and its answer, and the other attempts of the same event. */
export const AttemptDialog = ({
  path,
  url,
  attempt,
  onClose,
}: {
  readonly path: string
  readonly url: string
  readonly attempt: Attempt
  readonly onClose: () => void
}) => {
  const { event_id, event_type } = attempt
  const delivery = useRequest<Delivery>(isTest(attempt) ? undefined : `${path}/deliveries/${event_id}`)
  const others = useRequest<Attempts>(withQuery(`${path}/deliveries`, { event_id, limit: 50 }))
  return (
    <Dialog title={`${event_type}, attempt ${attempt.attempt}`} onClose={onClose}>
      <h3>Request</h3>
      <pre class="code wraps">
        {[
          `POST ${url}`,
          `X-Webhook-Event: ${event_type}`,
          `X-Webhook-Attempt: ${attempt.attempt}`,
          `webhook-id: ${event_id}`,
        ].join("\n")}
      </pre>
      {isTest(attempt) ? (
        <p class="small muted">The payload of a test is not kept.</p>
      ) : (
        <Show loaded={delivery}>{({ body }) => <Json label="Payload" text={body} />}</Show>
      )}
      <h3>Response</h3>
      <p>
        <Result attempt={attempt} /> after <span class="figures">{whole(attempt.latency_ms)} ms</span>
      </p>
      {attempt.response !== null && attempt.response !== "" && <Json label="Body" text={attempt.response} />}
      <h3>Attempts of this event</h3>
      <Show loaded={others}>
        {({ deliveries }) => (
          <Table
            label="Attempts of this event"
            rows={deliveries}
            rowKey={(row) => row.cursor}
            columns={[
              { label: "Time", cell: (row) => <Time at={row.delivered_at} /> },
              { label: "Attempt", isNumber: true, cell: (row) => whole(row.attempt) },
              { label: "Result", cell: (row) => <Result attempt={row} /> },
              { label: "Latency", isNumber: true, cell: (row) => `${whole(row.latency_ms)} ms` },
            ]}
          />
        )}
      </Show>
    </Dialog>
  )
}
