import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as HttpApiSchema from "effect/unstable/httpapi/HttpApiSchema"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { RebuildSummary, RunKind, RunState, VerifyResult } from "#src/repair/runs/model.ts"
import { Conflict, NotFound, Unavailable } from "../../server/errors.ts"
import { about, maybeMoment, moment } from "../shapes.ts"

const Run = Schema.Struct({
  id: Schema.String,
  kind: RunKind,
  state: RunState,
  requested_by: Schema.String,
  requested_at: moment,
  started_at: maybeMoment,
  finished_at: maybeMoment,
  step: Schema.NullOr(Schema.String),
  progress: about("0 to 1"),
  cancel_requested: Schema.Boolean,
  verified: Schema.NullOr(VerifyResult).annotate({ description: "Result of `verify`" }),
  rebuilt: Schema.NullOr(RebuildSummary).annotate({ description: "Result of `rebuild_positions`" }),
  error: Schema.NullOr(Schema.String),
})

const list = HttpApiEndpoint.get("list", "/ops/v1/checks", {
  success: Schema.Struct({ runs: Schema.Array(Run) }),
  error: Unavailable,
}).annotateMerge(OpenApi.annotations({ summary: "List runs", description: "The newest 20, newest first." }))

const start = HttpApiEndpoint.post("start", "/ops/v1/checks", {
  payload: Schema.Struct({ kind: RunKind }),
  success: Run.pipe(HttpApiSchema.status(202)),
  error: [Conflict, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Start a check or repair",
    description:
      "`verify` recomputes everything derived from the facts and reports differences. `rebuild_positions` recomputes positions, gains and losses and corrects them in one transaction. A worker runs it; one at a time. Audited.",
  }),
)

const cancel = HttpApiEndpoint.delete("cancel", "/ops/v1/checks/:id", {
  params: { id: Schema.String.check(Schema.isUUID()).annotate({ description: "id of a run" }) },
  success: Run,
  error: [NotFound, Unavailable],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Cancel a run",
    description: "It stops within seconds and changes nothing. Audited.",
  }),
)

export class ChecksGroup extends HttpApiGroup.make("checks")
  .add(list, start, cancel)
  .annotateMerge(OpenApi.annotations({ title: "Checks", description: "Verification and repair of the ledger." })) {}
