import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { Unavailable } from "../../server/errors.ts"
import { about, moment } from "../shapes.ts"

const Actor = Schema.Struct({
  actor: Schema.String,
  epoch: about("Number of the lease; only its holder can write"),
  taken_at: moment,
  process: Schema.NullOr(Schema.String).annotate({
    description: "Process that runs it, as `host:pid`; null while none reports this epoch",
  }),
  restarts: about("Restarts after a failure, in all running processes since they started"),
})

const list = HttpApiEndpoint.get("list", "/ops/v1/actors", {
  success: Schema.Struct({ actors: Schema.Array(Actor) }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({ summary: "List actors", description: "Where each actor runs. Processes report every 10 s." }),
)

export class ActorsGroup extends HttpApiGroup.make("actors")
  .add(list)
  .annotateMerge(OpenApi.annotations({ title: "Actors", description: "Long-lived work with leases." })) {}
