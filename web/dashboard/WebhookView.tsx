import { useState } from "preact/hooks"
import { useLocation, useRoute } from "preact-iso"
import { percent, unknown, whole } from "../shared/format.ts"
import { request } from "../shared/request.ts"
import { Confirm } from "../shared/ui/Dialog.tsx"
import { FailureNotice, Notice, Show } from "../shared/ui/States.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useAction } from "../shared/useAction.ts"
import { useRequest } from "../shared/useRequest.ts"
import { meaningOf } from "./Confirmations.tsx"
import { History } from "./History.tsx"
import { Page, Panel, Stat } from "./Page.tsx"
import { ReplayDialog } from "./ReplayDialog.tsx"
import { SecretDialog } from "./Secret.tsx"
import { textOf } from "./schema.ts"
import { lagOf, Status } from "./Webhooks.tsx"
import type { Health, HealthList, Webhook } from "./webhookTypes.ts"

interface Tested {
  readonly delivered: boolean
  readonly status_code: number | null
  readonly latency_ms: number
  readonly error: string | null
}

const testedText = ({ delivered, status_code, latency_ms, error }: Tested) =>
  delivered
    ? `The test was delivered: status ${status_code}, ${whole(latency_ms)} ms.`
    : `The test was not delivered: ${error ?? `status ${status_code}`}.`

const Figures = ({ health }: { readonly health: Health }) => (
  <dl class="stats">
    <Stat label="Success rate">{percent(health.success_rate)}</Stat>
    <Stat label="p50 latency">{health.latency_p50_ms === null ? unknown : `${whole(health.latency_p50_ms)} ms`}</Stat>
    <Stat label="Attempts">{whole(health.attempts)}</Stat>
    <Stat label="Pending">{whole(health.pending)}</Stat>
    <Stat label="Oldest due">{lagOf(health)}</Stat>
    <Stat label="Missed">{whole(health.missed)}</Stat>
  </dl>
)

const Subscription = ({ webhook }: { readonly webhook: Webhook }) => (
  <Panel title="Events" tools={<Status webhook={webhook} />}>
    {webhook.disabled_reason !== null && <Notice kind="caution">Disabled: {webhook.disabled_reason}</Notice>}
    <dl class="pairs">
      <dt>Types</dt>
      <dd>{webhook.event_types.join(", ")}</dd>
      {Object.entries(webhook.filters).map(([name, value]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd class="wraps">{textOf(value).replaceAll("\n", ", ")}</dd>
        </>
      ))}
      <dt>Confirmations</dt>
      <dd>
        {webhook.confirmations} <span class="muted">({meaningOf(webhook.confirmations)})</span>
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={webhook.created_at} />
      </dd>
    </dl>
  </Panel>
)

export const WebhookView = () => {
  const { id = "" } = useRoute().params
  const path = `/v3/webhooks/${encodeURIComponent(id)}`
  const { route } = useLocation()
  const loaded = useRequest<Webhook>(path)
  const health = useRequest<HealthList>("/v3/webhooks/health", { everyMillis: 15_000 })
  const [open, setOpen] = useState<"rotate" | "delete" | "replay">()
  const [said, setSaid] = useState("")
  const [secret, setSecret] = useState<string>()
  const [round, setRound] = useState(0)
  const { failure, isBusy, run } = useAction()
  const act = (action: () => Promise<void>) => {
    setOpen(undefined)
    setSaid("")
    void run(async () => {
      await action()
      loaded.reload()
      health.reload()
      setRound((n) => n + 1)
    })
  }
  const close = () => setOpen(undefined)
  const test = () => act(async () => setSaid(testedText(await request<Tested>(`${path}/test`, { method: "POST" }))))
  const setActive = (active: boolean) =>
    act(async () => void (await request(path, { method: "PUT", body: { active } })))
  const rotate = () =>
    act(async () =>
      setSecret((await request<{ readonly secret: string }>(`${path}/rotate-secret`, { method: "POST" })).secret),
    )
  const remove = () => {
    setOpen(undefined)
    void run(async () => {
      await request(path, { method: "DELETE" })
      route("/dashboard/webhooks")
    })
  }
  const found = health.data?.webhooks.find((each) => each.id === id)
  const button = (label: string, onClick: () => void) => (
    <button type="button" class="small outline" disabled={isBusy} onClick={onClick}>
      {label}
    </button>
  )
  return (
    <Page
      title="Webhook"
      actions={
        loaded.data !== undefined && (
          <>
            {button("Send a test", test)}
            {loaded.data.active ? button("Pause", () => setActive(false)) : button("Resume", () => setActive(true))}
            {button("Replay", () => setOpen("replay"))}
            {button("Rotate secret", () => setOpen("rotate"))}
            {button("Edit", () => route(`/dashboard/webhooks/${id}/edit`))}
            {button("Delete", () => setOpen("delete"))}
          </>
        )
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} />}
      {said !== "" && <Notice>{said}</Notice>}
      <Show loaded={loaded}>
        {(webhook) => (
          <>
            <p class="wraps">
              <code>{webhook.url}</code> <span class="muted">{webhook.description}</span>
            </p>
            {found !== undefined && <Figures health={found} />}
            <Subscription webhook={webhook} />
            <History path={path} url={webhook.url} round={round} isActive={webhook.active} />
          </>
        )}
      </Show>
      {open === "replay" && (
        <ReplayDialog path={path} onDone={(text) => act(async () => setSaid(text))} onClose={close} />
      )}
      {open === "rotate" && (
        <Confirm title="Rotate the secret" action="Rotate" onConfirm={rotate} onClose={close}>
          <p>Deliveries are signed with a new secret at once, and with the old one as well for 24 hours.</p>
        </Confirm>
      )}
      {open === "delete" && (
        <Confirm title="Delete the webhook" action="Delete" onConfirm={remove} onClose={close}>
          <p>Its history and what is still pending are deleted too.</p>
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog title="New secret" secret={secret} onClose={() => setSecret(undefined)}>
          Copy the signing secret now: it is shown only this once.
        </SecretDialog>
      )}
    </Page>
  )
}
