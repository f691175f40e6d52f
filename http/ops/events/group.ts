import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Unavailable } from "../../server/errors.ts"
import { about, maybeMoment, moment } from "../shapes.ts"

const state = HttpApiEndpoint.get("state", "/ops/v1/events", {
  success: Schema.Struct({
    head: about("Sequence number of the newest event"),
    oldest: about("Sequence number of the oldest event that is kept"),
    newest_at: maybeMoment,
    tail_last: about("Newest event in Redis"),
    tail_length: about("Events in Redis"),
    relay_lag: about("Events that are not in Redis yet"),
    recent: Schema.Array(Schema.Struct({ seq: Schema.Number, kind: Schema.String, recorded_at: moment })).annotate({
      description: "The newest 20 events, newest first",
    }),
  }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "State of the event log", description: "Its head, tail and relay." }))

export class EventLogGroup extends HttpApiGroup.make("events")
  .add(state)
  .annotateMerge(OpenApi.annotations({ title: "Event log", description: "The log and its tail in Redis." })) {}
