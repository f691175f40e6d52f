import { useState } from "preact/hooks"
import { request } from "../shared/request.ts"
import { FailureNotice } from "../shared/ui/States.tsx"
import { useAction } from "../shared/useAction.ts"
import { ConfirmationsField, possibleFor, standardOf } from "./Confirmations.tsx"
import { Panel } from "./Page.tsx"
import { PreviewResult } from "./PreviewResult.tsx"
import { SchemaField } from "./SchemaField.tsx"
import { textOf, valuesOf } from "./schema.ts"
import type { Confirmations, EventType, EventTypes, Preview, Webhook } from "./webhookTypes.ts"

export interface WebhookInput {
  readonly url: string
  readonly description: string | null
  readonly event_types: ReadonlyArray<string>
  readonly confirmations: Confirmations
  readonly filters: Readonly<Record<string, unknown>>
}

/** Filters that every chosen type accepts: a webhook can have no others. */
const acceptedBy = (types: ReadonlyArray<EventType>): ReadonlyArray<string> =>
  (types[0]?.filters ?? []).filter((name) => types.every(({ filters }) => filters.includes(name)))

const initialTexts = (filters: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, textOf(value)]))

const TypeChoice = ({
  type,
  isChosen,
  onToggle,
}: {
  readonly type: EventType
  readonly isChosen: boolean
  readonly onToggle: () => void
}) => (
  <label class="choice-with-text">
    <input type="checkbox" checked={isChosen} onChange={onToggle} />
    <span>
      {type.name} {type.beta && <span class="tag caution">beta</span>}
      <small class="muted block">
        {type.description.replaceAll("`", "")}. Checked every {type.cadence.replaceAll(" ", "\u00a0")}.
      </small>
    </span>
  </label>
)

/** Creates or changes a webhook. Types and filters are those that the service lists. */
export const WebhookForm = ({
  types,
  before,
  action,
  onSave,
}: {
  readonly types: EventTypes
  readonly before?: Webhook
  readonly action: string
  readonly onSave: (input: WebhookInput) => Promise<void>
}) => {
  const [url, setUrl] = useState(before?.url ?? "")
  const [description, setDescription] = useState(before?.description ?? "")
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(before?.event_types ?? [])
  const [certainty, setCertainty] = useState<Confirmations | undefined>(before?.confirmations)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(initialTexts(before?.filters ?? {}))
  const [preview, setPreview] = useState<Preview>()
  const previewing = useAction()
  const saving = useAction()

  const chosenTypes = types.event_types.filter(({ name }) => chosen.includes(name))
  const accepted = acceptedBy(chosenTypes)
  const required = new Set(chosenTypes.flatMap(({ required_filters }) => required_filters))
  const lacking = [...required].filter((name) => !accepted.includes(name))
  const filters = () =>
    valuesOf(types.filters, Object.fromEntries(accepted.map((name) => [name, texts[name] ?? ""] as const)))
  const possible = possibleFor(types, chosenTypes)
  const confirmations =
    certainty !== undefined && (before !== undefined || possible.includes(certainty)) ? certainty : standardOf(types)
  const toggle = (name: string) => {
    setPreview(undefined)
    setChosen(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name])
  }
  const showPreview = () =>
    previewing.run(async () => {
      setPreview(undefined)
      const body = { event_types: chosen, filters: filters() }
      setPreview(await request<Preview>("/v3/webhooks/preview", { method: "POST", body }))
    })
  const save = () =>
    saving.run(() =>
      onSave({
        url: url.trim(),
        description: description.trim() || null,
        event_types: chosen,
        confirmations,
        filters: filters(),
      }),
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Panel title="Receiver">
        <div class="columns">
          <label>
            Address
            <input
              type="url"
              required
              value={url}
              placeholder="https://example.com/hook"
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          </label>
          <label>
            Note
            <input
              maxLength={500}
              value={description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          </label>
        </div>
      </Panel>
      <Panel title="Events">
        <fieldset class="type-grid">
          <legend class="visually-hidden">Event types</legend>
          {types.event_types.map((type) => (
            <TypeChoice
              key={type.name}
              type={type}
              isChosen={chosen.includes(type.name)}
              onToggle={() => toggle(type.name)}
            />
          ))}
        </fieldset>
        <ConfirmationsField
          standard={standardOf(types)}
          possible={possible}
          value={confirmations}
          isFixed={before !== undefined}
          onChange={setCertainty}
        />
      </Panel>
      <Panel title="Filters">
        {chosenTypes.length === 0 ? (
          <p class="empty">Choose an event type to see its filters.</p>
        ) : (
          <>
            {lacking.length > 0 && (
              <p class="caution">These types cannot share a webhook: not all of them accept {lacking.join(", ")}.</p>
            )}
            {accepted.length === 0 && lacking.length === 0 && (
              <p class="muted">These types have no filter in common.</p>
            )}
            <div class="columns">
              {accepted.map((name) => (
                <SchemaField
                  key={name}
                  name={name}
                  schema={types.filters[name] ?? {}}
                  text={texts[name] ?? ""}
                  isRequired={required.has(name)}
                  onText={(text) => setTexts({ ...texts, [name]: text })}
                />
              ))}
            </div>
          </>
        )}
      </Panel>
      {previewing.failure !== undefined && <FailureNotice failure={previewing.failure} />}
      {preview !== undefined && <PreviewResult preview={preview} />}
      {saving.failure !== undefined && <FailureNotice failure={saving.failure} />}
      <div class="row">
        <button
          type="button"
          class="secondary"
          disabled={chosen.length === 0}
          aria-busy={previewing.isBusy}
          onClick={() => void showPreview()}
        >
          Preview
        </button>
        <button type="submit" disabled={chosen.length === 0} aria-busy={saving.isBusy}>
          {action}
        </button>
      </div>
    </form>
  )
}
