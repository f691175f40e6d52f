import { Schema, SchemaTransformation } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { type EventType, eventTypes } from "#src/feed/model.ts"
import { EventMessage } from "#src/streams/protocol/server.ts"
import { paidOnly } from "../access/Rule.ts"
import { Conflict, Unavailable } from "../errors.ts"

export const defaultLimit = 100
const mostEvents = 1000

const known: ReadonlySet<string> = new Set(eventTypes)
const strange = (text: string) => text.split(",").find((type) => !known.has(type))

const EventTypes = Schema.String.check(
  Schema.makeFilter((text) => {
    const wrong = strange(text)
    return wrong === undefined ? undefined : `Expected names of ${eventTypes.join(", ")}, with commas between them`
  }),
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.Literals(eventTypes)),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<EventType> => text.split(",") as ReadonlyArray<string> as ReadonlyArray<EventType>,
      encode: (types: ReadonlyArray<EventType>) => types.join(","),
    }),
  ),
)

const Seq = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Page = Schema.Struct({
  epoch: Schema.String.annotate({ description: "Tells this event log from another" }),
  events: Schema.Array(EventMessage).annotate({ description: "As the streams send them, oldest first" }),
  next_after: Seq.annotate({ description: "What to give as `after` for the next page" }),
  has_more: Schema.Boolean.annotate({ description: "Whether there is a next page already" }),
  oldest_seq: Seq.annotate({ description: "The oldest event that is kept; 0 when there is none" }),
  newest_seq: Seq,
  gap: Schema.Boolean.annotate({
    description: "Events after `after` are no longer kept: those before `oldest_seq` cannot be had here any more",
  }),
})

const list = HttpApiEndpoint.get("list", "/v1/events", {
  query: {
    after: Schema.optionalKey(
      Seq.annotate({ description: "events with a higher `seq`; 0, or nothing, begins with the oldest that is kept" }),
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostEvents })).annotate({
        description: `events at most, 1 to ${mostEvents}; ${defaultLimit} when left out. What one entry of the log says is never split`,
      }),
    ),
    event_types: Schema.optionalKey(
      EventTypes.annotate({ description: `only these, with commas between them: ${eventTypes.join(", ")}` }),
    ),
    epoch: Schema.optionalKey(
      Schema.String.annotate({ description: "the `epoch` that `after` belongs to; another log is refused with 409" }),
    ),
  },
  success: Page,
  error: [Conflict, Unavailable],
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Events of the log",
      description: `Everything that the streams tell, from the log that they are told from: for what a stream says you missed, and for
those who rather ask. Read page after page with \`after\` = \`next_after\` of the page before; a page can be empty and yet have
more after it when \`event_types\` are rare. The rows of fills and trades whose \`taker\` is an exchange are those of the takers'
own orders: the streams send them only to those who follow the wallet.

\`\`\`sh
curl -H "x-api-key: $KEY" "localhost:8080/v1/events?after=0&event_types=fill&limit=10"
\`\`\``,
    }),
  )
  .annotateMerge(paidOnly())

export class EventsGroup extends HttpApiGroup.make("events")
  .add(list)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "The event log, page by page." })) {}
