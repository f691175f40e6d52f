import { Schema, SchemaTransformation } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { type EventType, eventTypes } from "#src/feed/model.ts"
import { EventMessage } from "#src/streams/protocol/server.ts"
import { paidOnly } from "../access/Rule.ts"
import { nameIn } from "../input/anyCase.ts"
import { describe } from "../openapi/describe.ts"
import { Conflict, Unavailable } from "../server/errors.ts"

export const defaultLimit = 100
const maxEntries = 1000

const EventTypes = Schema.String.check(
  Schema.makeFilter((text) => {
    const isKnown = text.split(",").every((type) => nameIn(eventTypes, type) !== undefined)
    return isKnown ? undefined : `Expected a comma-separated list of ${eventTypes.join(", ")}`
  }),
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.Literals(eventTypes)),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<EventType> => text.split(",").flatMap((type) => nameIn(eventTypes, type) ?? []),
      encode: (types: ReadonlyArray<EventType>) => types.join(","),
    }),
  ),
)

const Seq = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Page = Schema.Struct({
  epoch: Schema.String.annotate({ description: "Identifies this event log" }),
  entries: Schema.Int.annotate({
    description: "Log entries on this page, which `limit` counts; one can be several events",
  }),
  events: Schema.Array(EventMessage).annotate({ description: "Oldest first, in the form of the streams" }),
  next_after: Seq.annotate({ description: "Use it as `after` for the next page" }),
  has_more: Schema.Boolean.annotate({ description: "Whether the next page already has events" }),
  oldest_seq: Seq.annotate({ description: "The oldest retained event; 0 if there is none" }),
  newest_seq: Seq,
  gap: Schema.Boolean.annotate({
    description: "Whether events after `after` are no longer retained: those before `oldest_seq` are unavailable",
  }),
}).annotate({ identifier: "EventLogPage" })

const list = HttpApiEndpoint.get("list", "/v1/events", {
  query: {
    after: Schema.optionalKey(
      Seq.annotate({
        description: "only events with a higher `seq`; 0, the default, starts with the oldest retained event",
      }),
    ),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxEntries })).annotate({
        description: `maximum log entries with such events, 1 to ${maxEntries}; ${defaultLimit} by default. An entry can be several events: a fill is also a trade`,
      }),
    ),
    event_types: Schema.optionalKey(
      EventTypes.annotate({ description: `only these types, comma-separated: ${eventTypes.join(", ")}` }),
    ),
    epoch: Schema.optionalKey(
      Schema.String.annotate({ description: "the `epoch` that `after` belongs to; 409 if the log is a different one" }),
    ),
  },
  success: Page,
  error: [Conflict, Unavailable],
})
  .annotateMerge(
    describe(
      "List events",
      "/v1/events?after=0&event_types=fill&limit=10",
      `All events of the streams, read from the same log: to recover events that a stream missed, and for clients that prefer to poll.
Read pages with \`after\` = \`next_after\` of the previous page. With rare \`event_types\`, a page can be empty although more follow.
Fills and trades whose \`taker\` is an exchange are the takers' own orders; the streams send them only to clients that follow
the wallet.`,
    ),
  )
  .annotateMerge(paidOnly())

export class EventsGroup extends HttpApiGroup.make("events")
  .add(list)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "The event log, page by page." })) {}
