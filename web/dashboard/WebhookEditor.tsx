import { useState } from "preact/hooks"
import { useLocation, useRoute } from "preact-iso"
import { request } from "../shared/request.ts"
import { Show } from "../shared/ui/States.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Page } from "./Page.tsx"
import { SecretDialog } from "./Secret.tsx"
import { WebhookForm, type WebhookInput } from "./WebhookForm.tsx"
import type { EventTypes, Webhook } from "./webhookTypes.ts"

const useEventTypes = () => useRequest<EventTypes>("/v3/webhooks/event-types")

export const NewWebhook = () => {
  const types = useEventTypes()
  const { route } = useLocation()
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string }>()
  const save = async (body: WebhookInput) => setCreated(await request("/v3/webhooks", { method: "POST", body }))
  return (
    <Page title="Create a webhook">
      <Show loaded={types}>{(known) => <WebhookForm types={known} action="Create" onSave={save} />}</Show>
      {created !== undefined && (
        <SecretDialog
          title="The webhook is created"
          secret={created.secret}
          onClose={() => route(`/dashboard/webhooks/${created.id}`)}
        >
          Deliveries are signed with this secret. Copy it now: it is shown only this once.
        </SecretDialog>
      )}
    </Page>
  )
}

export const EditWebhook = () => {
  const { id = "" } = useRoute().params
  const path = `/v3/webhooks/${encodeURIComponent(id)}`
  const types = useEventTypes()
  const webhook = useRequest<Webhook>(path)
  const { route } = useLocation()
  // A webhook keeps its confirmations.
  const save = async ({ confirmations: _, ...body }: WebhookInput) => {
    await request(path, { method: "PUT", body })
    route(`/dashboard/webhooks/${id}`)
  }
  return (
    <Page title="Edit the webhook">
      <Show loaded={types}>
        {(known) => (
          <Show loaded={webhook}>
            {(before) => <WebhookForm types={known} before={before} action="Save" onSave={save} />}
          </Show>
        )}
      </Show>
    </Page>
  )
}
