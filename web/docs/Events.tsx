import { gatewayUrl } from "../shared/gateway.ts"
import { Notice, Show } from "../shared/ui/States.tsx"
import { Code } from "./Code.tsx"
import { type Contract, type Index, jsonOf, type Message, type Streams } from "./contract.ts"
import { partPath, useDocument } from "./documents.ts"
import { Inline } from "./Inline.tsx"
import { Markdown } from "./Markdown.tsx"
import { SchemaTree } from "./SchemaTree.tsx"

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

const Example = ({ value }: { readonly value: unknown }) => <Code class="docs-answer" text={pretty(value)} />

const MessageText = ({ message }: { readonly message: Message }) => (
  <article>
    <h1>{message.name}</h1>
    <Markdown text={message.summary} />
    {message.examples.map(({ payload }, index) => (
      <Example key={index} value={payload} />
    ))}
    <h2>Fields</h2>
    <SchemaTree schema={message.payload} schemas={{}} />
  </article>
)

const Overview = ({ streams }: { readonly streams: Streams }) => (
  <article>
    <h1>Messages of the streams</h1>
    <p>
      Connect to <code class="docs-path">{gatewayUrl()}</code>, with the key as <code>x-api-key</code>,{" "}
      <code>Authorization: Bearer</code> or <code>?key=</code>. <a href="/docs/guides/streams">The guide</a> explains
      how.
    </p>
    <Markdown text={streams.info.description} />
    {Object.entries(streams.channels).map(([name, channel]) => (
      <section key={name}>
        <h2>{channel.title}</h2>
        <p>
          <Inline text={channel.description} />
        </p>
        <ul>
          {Object.keys(channel.messages).map((each) => (
            <li key={each}>
              <a href={`/docs/streams/${each}`}>{each}</a>{" "}
              <span class="small muted">
                <Inline text={streams.components.messages[each]?.summary ?? ""} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </article>
)

/** The messages of the streams, or one of them. */
export const StreamsPage = ({ name }: { readonly name?: string }) => {
  const loaded = useDocument<Streams>("/asyncapi.json")
  return (
    <Show loaded={loaded}>
      {(streams) => {
        if (name === undefined) return <Overview streams={streams} />
        const message = streams.components.messages[name]
        if (message !== undefined) return <MessageText message={message} />
        return (
          <Notice kind="error">
            <p>There is no message "{name}".</p>
          </Notice>
        )
      }}
    </Show>
  )
}

/** The deliveries to webhooks, or those of one event type. */
export const WebhooksPage = ({ name, index }: { readonly name?: string; readonly index: Index }) =>
  name === undefined ? (
    <article>
      <h1>Deliveries to webhooks</h1>
      <p>
        Presage posts these events to your address, signed. <a href="/docs/guides/webhooks">The guide</a> explains
        signatures and retries.
      </p>
      <ul>
        {index.webhooks.map((webhook) => (
          <li key={webhook.name}>
            <a href={`/docs/webhooks/${webhook.name}`}>{webhook.name}</a>{" "}
            <span class="small muted">
              <Inline text={webhook.summary} />
            </span>
          </li>
        ))}
      </ul>
    </article>
  ) : (
    <Delivery name={name} />
  )

const Delivery = ({ name }: { readonly name: string }) => {
  const loaded = useDocument<Contract>(partPath("webhooks", name))
  if (loaded.failure?.status === 404)
    return (
      <Notice kind="error">
        <p>There is no event type "{name}".</p>
      </Notice>
    )
  return (
    <Show loaded={loaded}>
      {({ webhooks, components }) => {
        const webhook = webhooks[name]?.post
        const media = jsonOf(webhook?.requestBody)
        if (webhook === undefined || media === undefined) return undefined
        return (
          <article>
            <h1>{name}</h1>
            <p>
              <Inline text={webhook.summary} />
            </p>
            <h2>Headers</h2>
            <ul class="docs-fields">
              {(webhook.parameters ?? []).map((header) => (
                <li key={header.name}>
                  <code>{header.name}</code>
                  <Markdown text={header.description ?? ""} />
                </li>
              ))}
            </ul>
            <h2>Body</h2>
            <Example value={media.example} />
            <SchemaTree schema={media.schema} schemas={components.schemas} />
          </article>
        )
      }}
    </Show>
  )
}
