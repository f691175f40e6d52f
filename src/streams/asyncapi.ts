import { JsonSchema, Schema } from "effect"
import { actions, type ClientMessage } from "./protocol/client.ts"
import { clientExamples } from "./protocol/clientExamples.ts"
import { closeCodes } from "./protocol/closeCodes.ts"
import { bookMessages, controlMessages, eventMessages, priceMessages, serverMessages } from "./protocol/server.ts"
import { eventStreams } from "./protocol/streamTypes.ts"

type Json = Readonly<Record<string, unknown>>

const ref = (path: string): Json => ({ $ref: `#/${path}` })

const mapped = <K extends string, A, B>(all: Readonly<Record<K, A>>, f: (value: A, key: K) => B) =>
  Object.fromEntries((Object.entries(all) as Array<[K, A]>).map(([key, value]) => [key, f(value, key)]))

/** AsyncAPI uses an older JSON Schema draft than OpenAPI. These schemas contain no references. */
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
  subscribe: "Subscribe to a stream. Answered by `subscribed`, then replayed events, then live events.",
  update: "Replace the filters of a subscription. Answered by `updated`.",
  unsubscribe: "End one subscription, all of them, or some order books. Answered by `unsubscribed`.",
  resync: "Request new order book snapshots. Answered by `snapshot_batch`.",
  ping: "Check that the gateway responds. Answered by `pong`.",
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

const description = `Connect to \`/ws?key=<API key>\` and send JSON. Every stream sends an acknowledgement, then the requested replay, then live
events, without gaps or duplicates.

**Streams** and their events:
${streamList}
- \`oracle\` (or \`chainlink\`): price_feed
- \`orderbook\`: snapshot_batch, snapshots_done, batch

**Nothing is lost silently.** Every event has the \`seq\` of its entry in the event log. After a reconnect, send \`resume\` with your
last \`epoch\` and \`seq\`: the missed events follow, or the acknowledgement contains \`recovered: false\` and where to fetch them
(\`GET /v1/events\`). \`lagged\` announces events that were delayed because you read too slowly. \`stale\` reports a silent source,
\`fresh\` its return.

**Filters** on sizes are in dollars (\`min_usd\`, \`max_usd\`), while \`size\` in events is shares; times are Unix milliseconds. The
acknowledgement says what applies, and its \`warnings\` what matches nothing. Order books of \`*\` are those that its \`coverage\`
describes.

**Compression**: with \`&compress=zlib\`, events are sent as binary frames of raw deflate; control messages stay text.

**Close codes.** A \`closing\` frame with \`retry_after_ms\` precedes the close. A client that reads too slowly may see 1006 instead. The
reason is then reported as \`last_close\` in the acknowledgement of its next subscription with \`resume.subscriber_id\`.

| code | meaning |
|---|---|
${closeList}

A missing, invalid or exhausted key is refused before the connection opens, with 401, 403 or 429 as in REST.`

const license = { name: "Apache License 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" }

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
  control: channel("Control", "Client requests and messages about the connection.", {
    ...actions,
    ...controlMessages,
  }),
  events: channel("Events", "Events of the chain and the catalogue, in log order.", eventMessages),
  prices: channel("Price feeds", "Coin prices, one per second.", priceMessages),
  books: channel("Order books", "Snapshots and updates with checksums.", bookMessages),
}

const messagesOf = (name: keyof typeof channels, names: ReadonlyArray<string>) =>
  names.map((message) => ref(`channels/${name}/messages/${message}`))

const sendOperation = (
  name: keyof typeof channels,
  title: string,
  messages: Readonly<Record<string, unknown>>,
): Json => ({
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
  ...mapped(answers, ([channelName, answer], action) => ({
    action: "receive",
    title: action,
    summary: purposes[action],
    channel: ref("channels/control"),
    messages: messagesOf("control", [action]),
    reply: { channel: ref(`channels/${channelName}`), messages: messagesOf(channelName, [answer]) },
  })),
  send_connection_messages: sendOperation("control", "Messages about the connection", controlMessages),
  send_events: sendOperation("events", "Events", eventMessages),
  send_prices: sendOperation("prices", "Prices", priceMessages),
  send_books: sendOperation("books", "Order books", bookMessages),
}

const describeMessages = () => ({ ...mapped(actions, clientMessage), ...mapped(serverMessages, serverMessage) })
let described: ReturnType<typeof describeMessages> | undefined

/** AsyncAPI 3.0 document, generated from the schemas that parse and check the frames. `gateway` is the public URL. */
export const asyncapi = (gateway: URL, version: string): Json => {
  // Cached: it takes tens of milliseconds, and the endpoint is public.
  described ??= describeMessages()
  const prefix = gateway.pathname.replace(/\/ws\/?$/, "")
  return {
    asyncapi: "3.0.0",
    info: { title: "Presage streams", version, description, license },
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
        key: { type: "httpApiKey", name: "key", in: "query", description: "POST /v1/keys creates a free one" },
      },
    },
  }
}
