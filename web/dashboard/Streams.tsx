import { useMemo, useState } from "preact/hooks"
import { gatewayUrl } from "../shared/gateway.ts"
import { Show } from "../shared/ui/States.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Code } from "./Code.tsx"
import { Frames } from "./Frames.tsx"
import { Page, Panel } from "./Page.tsx"
import { SchemaField } from "./SchemaField.tsx"
import { choicesOf, type FieldSchema, valuesOf } from "./schema.ts"
import { useFrames } from "./useFrames.ts"

interface ObjectSchema extends FieldSchema {
  readonly properties: Readonly<Record<string, FieldSchema>>
}

interface AsyncApi {
  readonly components: { readonly messages: { readonly subscribe: { readonly payload: ObjectSchema } } }
}

/** Fields of a subscription beside its filters that the playground offers: how certain events are, and order books. */
const always = ["confirmations", "token_ids", "markets"]
/** After a lost connection, the stream resumes instead. */
const replays = ["snapshot_count", "since"]
const extras = [...replays, ...always]

/** Every field of a subscription: its filters, and those at the top level. */
const fieldsOf = (payload: ObjectSchema): Readonly<Record<string, FieldSchema>> => ({
  ...(payload.properties["filters"] as ObjectSchema).properties,
  ...Object.fromEntries(extras.map((name) => [name, payload.properties[name] ?? {}])),
})

const Playground = ({ payload }: { readonly payload: ObjectSchema }) => {
  const fields = useMemo(() => fieldsOf(payload), [payload])
  const [type, setType] = useState("fills")
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({ snapshot_count: "5" })
  const stream = useFrames()
  const shown = Object.keys(texts)
  const values = valuesOf(fields, texts)
  const chosen = (isWanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)))
  const filters = chosen((name) => !extras.includes(name))
  const fieldsAlways = chosen((name) => always.includes(name))
  const first = chosen((name) => replays.includes(name))
  const message = {
    action: "subscribe",
    type,
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    ...fieldsAlways,
    ...first,
  }
  return (
    <>
      <div class="columns">
        <Panel title="Subscription">
          <form
            onSubmit={(event) => {
              event.preventDefault()
              stream.start({ type, filters, fields: fieldsAlways, first })
            }}
          >
            <label>
              Stream
              <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
                {choicesOf(payload.properties["type"] ?? {}).map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>
            {shown.map((name) => (
              <div key={name} class="removable">
                <SchemaField
                  name={name}
                  schema={fields[name] ?? {}}
                  text={texts[name] ?? ""}
                  onText={(text) => setTexts({ ...texts, [name]: text })}
                />
                <button
                  type="button"
                  class="small outline secondary"
                  aria-label={`Remove ${name}`}
                  onClick={() =>
                    setTexts(Object.fromEntries(Object.entries(texts).filter(([other]) => other !== name)))
                  }
                >
                  Remove
                </button>
              </div>
            ))}
            <label>
              Add a filter
              <select value="" onChange={({ currentTarget }) => setTexts({ ...texts, [currentTarget.value]: "" })}>
                <option value="">choose…</option>
                {Object.keys(fields)
                  .filter((name) => !shown.includes(name))
                  .map((name) => (
                    <option key={name}>{name}</option>
                  ))}
              </select>
            </label>
            <div class="row">
              <button type="submit">{stream.isRunning ? "Subscribe again" : "Subscribe"}</button>
              <button type="button" class="secondary" disabled={!stream.isRunning} onClick={stream.stop}>
                Stop
              </button>
            </div>
          </form>
        </Panel>
        <Code gateway={gatewayUrl()} message={message} />
      </div>
      <Frames stream={stream} />
    </>
  )
}

export const Streams = () => {
  const loaded = useRequest<AsyncApi>("/asyncapi.json")
  return (
    <Page title="Streams">
      <Show loaded={loaded}>{({ components }) => <Playground payload={components.messages.subscribe.payload} />}</Show>
    </Page>
  )
}
