import { JsonSchema, Schema } from "effect"
import { actions, type ClientMessage } from "./protocol/client.ts"
import { clientExamples } from "./protocol/clientExamples.ts"
import { closeCodes } from "./protocol/closeCodes.ts"
import { bookMessages, controlMessages, eventMessages, priceMessages, serverMessages } from "./protocol/server.ts"
import { eventStreams } from "./protocol/types.ts"

type Json = Readonly<Record<string, unknown>>

const ref = (path: string): Json => ({ $ref: `#/${path}` })

const mapped = <K extends string, A, B>(all: Readonly<Record<K, A>>, f: (value: A, key: K) => B) =>
  Object.fromEntries((Object.entries(all) as Array<[K, A]>).map(([key, value]) => [key, f(value, key)]))

/** AsyncAPI speaks an older JSON schema than OpenAPI; none of these schemas refers to another. */
const jsonSchema = (schema: Schema.Top) =>
  JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(schema)).schema as Json & {
    readonly description?: string
    readonly examples?: ReadonlyArray<unknown>
  }

const serverMessage = (schema: Schema.Top, name: string): Json => {
  const { description = "", examples = [], ...payload } = jsonSchema(schema)
  return {
    name,
    title: name,
    summary: description,
    contentType: "application/json",
    payload,
    examples: examples.map((example) => ({ name, payload: example })),
  }
}

const purposes: Readonly<Record<ClientMessage["action"], string>> = {
  subscribe: "Listen to a stream. `subscribed` answers, then what is replayed, then what is live.",
  update: "Give a subscription other filters in place. `updated` answers.",
  unsubscribe: "End a subscription, all of them, or some order books. `unsubscribed` answers.",
  resync: "Send order books anew. `snapshot_batch` answers.",
  ping: "See whether the other end answers. `pong` does.",
}

const clientMessage = (schema: Schema.Top, name: ClientMessage["action"]): Json => ({
  name,
  title: name,
  summary: purposes[name],
  contentType: "application/json",
  payload: jsonSchema(schema),
  examples: clientExamples[name],
})

const streamList = Object.entries(eventStreams)
  .map(([stream, types]) => `- \`${stream}\`: ${types.join(", ")}`)
  .join("\n")

const closeList = Object.values(closeCodes)
  .map(({ code, meaning }) => `| ${code} | ${meaning} |`)
  .join("\n")

const description = `Connect to \`/ws?key=<API key>\` and send JSON. Every stream acknowledges first, then replays what was asked for, then is live,
without a gap and without a repetition.

**Streams** and the events that they bring:
${streamList}
- \`oracle\` (or \`chainlink\`): price_feed
- \`orderbook\`: snapshot_batch, snapshots_done, batch

**Nothing is lost silently.** Every event has the \`seq\` of its entry in the event log. After a reconnect, send \`resume\` with the
\`epoch\` and the \`seq\` you had: what you missed follows, or the acknowledgement says \`recovered: false\` and where to fetch it
(\`GET /v1/events\`). \`lagged\` names what you were too slow for, and it follows. \`stale\` says that a source is silent, \`fresh\` that it is back.

**Compression**: with \`&compress=zlib\` events are binary frames of raw deflate; control messages stay text.

**Close codes.** Before a close comes a \`closing\` frame with \`retry_after_ms\`; who reads too slowly may see 1006 instead, and finds
the reason as \`last_close\` in the next acknowledgement that names the connection in \`resume.subscriber_id\`.

| code | meaning |
|---|---|
${closeList}

A key that is missing, wrong or used up is refused before the connection opens, with 401, 403 or 429 as over REST.`

const wsBinding = {
  method: "GET",
  query: {
    type: "object",
    required: ["key"],
    properties: {
      key: { type: "string", description: "An API key" },
      compress: { type: "string", enum: ["zlib"], description: "Events as raw deflate in binary frames" },
    },
  },
}

const channel = (title: string, about: string, messages: Readonly<Record<string, unknown>>): Json => ({
  address: "/ws",
  title,
  description: about,
  servers: [ref("servers/gateway")],
  messages: mapped(messages, (_, name) => ref(`components/messages/${name}`)),
  bindings: { ws: wsBinding },
})

const channels = {
  control: channel("Control", "What clients ask for, and what is said about a connection.", {
    ...actions,
    ...controlMessages,
  }),
  events: channel(
    "Events",
    "Everything that happens on chain and in the catalogue, in the order of the log.",
    eventMessages,
  ),
  prices: channel("Price feeds", "Prices of coins, one a second.", priceMessages),
  books: channel("Order books", "Snapshots and changes, with checksums.", bookMessages),
}

const messagesOf = (name: keyof typeof channels, names: ReadonlyArray<string>) =>
  names.map((message) => ref(`channels/${name}/messages/${message}`))

const told = (name: keyof typeof channels, title: string, messages: Readonly<Record<string, unknown>>): Json => ({
  action: "send",
  title,
  channel: ref(`channels/${name}`),
  messages: messagesOf(name, Object.keys(messages)),
})

const answers: Readonly<Record<ClientMessage["action"], readonly [keyof typeof channels, string]>> = {
  subscribe: ["control", "subscribed"],
  update: ["control", "updated"],
  unsubscribe: ["control", "unsubscribed"],
  resync: ["books", "snapshot_batch"],
  ping: ["control", "pong"],
}

const operations = {
  ...mapped(answers, ([where, answer], action) => ({
    action: "receive",
    title: action,
    summary: purposes[action],
    channel: ref("channels/control"),
    messages: messagesOf("control", [action]),
    reply: { channel: ref(`channels/${where}`), messages: messagesOf(where, [answer]) },
  })),
  tell_about_connection: told("control", "What is said about a connection", controlMessages),
  tell_events: told("events", "Events", eventMessages),
  tell_prices: told("prices", "Prices", priceMessages),
  tell_books: told("books", "Order books", bookMessages),
}

const describeMessages = () => ({ ...mapped(actions, clientMessage), ...mapped(serverMessages, serverMessage) })
let described: ReturnType<typeof describeMessages> | undefined

/** The streams in AsyncAPI 3.0, from the very schemas that read and check the frames. `gateway` is where they are served. */
export const asyncapi = (gateway: URL, version: string): Json => {
  // Takes tens of milliseconds, and anybody may ask for it.
  described ??= describeMessages()
  const prefix = gateway.pathname.replace(/\/ws\/?$/, "")
  return {
    asyncapi: "3.0.0",
    info: { title: "Presage streams", version, description },
    defaultContentType: "application/json",
    servers: {
      gateway: {
        host: gateway.host,
        protocol: gateway.protocol.replace(":", ""),
        ...(prefix === "" ? {} : { pathname: prefix }),
        description: "The WebSocket gateway",
        security: [ref("components/securitySchemes/key")],
      },
    },
    channels,
    operations,
    components: {
      messages: described,
      securitySchemes: {
        key: { type: "httpApiKey", name: "key", in: "query", description: "POST /v1/keys gives a free one" },
      },
    },
  }
}
