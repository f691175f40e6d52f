import { useLocation } from "preact-iso"
import { duration, percent, unknown, whole } from "../shared/format.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Page, Panel } from "./Page.tsx"
import type { Health, HealthList, Webhook } from "./webhookTypes.ts"

export const Status = ({ webhook }: { readonly webhook: Webhook }) => {
  if (webhook.disabled_reason !== null) return <span class="tag down">disabled</span>
  return webhook.active ? <span class="tag up">active</span> : <span class="tag caution">paused</span>
}

/** How long the oldest attempt that is due has been waiting. */
export const lagOf = ({ oldest_due_at }: Health): string =>
  oldest_due_at === null ? "none" : duration(Date.now() - Date.parse(oldest_due_at))

export const Webhooks = () => {
  const { route } = useLocation()
  const loaded = useRequest<{ readonly webhooks: ReadonlyArray<Webhook> }>("/v3/webhooks", { everyMillis: 15_000 })
  const health = useRequest<HealthList>("/v3/webhooks/health", { everyMillis: 15_000 })
  const byId = new Map(health.data?.webhooks.map((each) => [each.id, each]))
  const figure = (label: string, show: (health: Health) => string) => ({
    label,
    isNumber: true,
    cell: (row: Webhook) => {
      const found = byId.get(row.id)
      return found === undefined ? unknown : show(found)
    },
  })
  return (
    <Page
      title="Webhooks"
      actions={
        <button type="button" class="small" onClick={() => route("/dashboard/webhooks/new")}>
          Create a webhook
        </button>
      }
    >
      <Show loaded={loaded}>
        {({ webhooks }) => (
          <Panel title="Webhooks of the account" tools={<span class="small muted">newest attempts of 24 h</span>}>
            <Table
              label="Webhooks"
              rows={webhooks}
              rowKey={(row) => row.id}
              empty="No webhooks yet. Create one to receive events at your address."
              columns={[
                {
                  label: "Receiver",
                  cell: (row) => (
                    <div class="words">
                      <a class="break" href={`/dashboard/webhooks/${row.id}`}>
                        {row.url}
                      </a>
                      {row.description !== null && <small class="muted block">{row.description}</small>}
                    </div>
                  ),
                },
                { label: "Events", cell: (row) => row.event_types.join(", ") },
                { label: "Status", cell: (row) => <Status webhook={row} /> },
                figure("Success", ({ success_rate }) => percent(success_rate)),
                figure("p50", ({ latency_p50_ms }) =>
                  latency_p50_ms === null ? unknown : `${whole(latency_p50_ms)} ms`,
                ),
                figure("Pending", ({ pending }) => whole(pending)),
                figure("Oldest due", lagOf),
                figure("Missed", ({ missed }) => whole(missed)),
              ]}
            />
          </Panel>
        )}
      </Show>
      <RequestLine path="/v3/webhooks" />
    </Page>
  )
}
