import { Effect, Option, Schema } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Audit } from "#src/operators/Audit.ts"
import { AnotherRuns, NoSuchRun, RebuildSummary, type Run, VerifyResult } from "#src/repair/runs/model.ts"
import { Runs } from "#src/repair/runs/Runs.ts"
import { Conflict, NotFound, unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { CurrentOperator } from "../OperatorAccess.ts"
import { maybeIso } from "../shapes.ts"

const verified = Schema.decodeUnknownOption(VerifyResult)
const rebuilt = Schema.decodeUnknownOption(RebuildSummary)

const shown = (run: Run) => ({
  id: run.id,
  kind: run.kind,
  state: run.state,
  requested_by: run.requestedBy,
  requested_at: run.requestedAt.toISOString(),
  started_at: maybeIso(run.startedAt),
  finished_at: maybeIso(run.finishedAt),
  step: run.step,
  progress: run.progress,
  cancel_requested: run.cancelRequested,
  verified: run.kind === "verify" ? Option.getOrNull(verified(run.result)) : null,
  rebuilt: run.kind === "rebuild_positions" ? Option.getOrNull(rebuilt(run.result)) : null,
  error: run.error,
})

export const ChecksHandlers = HttpApiBuilder.group(
  OperatorApi,
  "checks",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const audit = yield* Audit
    return handlers.handleAll({
      list: () => Effect.map(Effect.catch(runs.list, unavailable("ops")), (all) => ({ runs: all.map(shown) })),
      start: Effect.fnUntraced(function* ({ payload: { kind } }) {
        const { name: by } = yield* CurrentOperator
        const run = yield* Effect.catch(
          audit.record({ by, action: "start", subject: kind, detail: "" }, runs.start(kind, by)),
          (error) =>
            error instanceof AnotherRuns
              ? Effect.fail(
                  new Conflict({
                    error: `A run of ${error.kind} is not finished.`,
                    hint: "Wait for it, or cancel it.",
                  }),
                )
              : unavailable("ops")(error),
        )
        return shown(run)
      }),
      cancel: Effect.fnUntraced(function* ({ params: { id } }) {
        const { name: by } = yield* CurrentOperator
        const run = yield* Effect.catch(
          audit.record({ by, action: "cancel", subject: id, detail: "" }, runs.cancel(id)),
          (error) =>
            error instanceof NoSuchRun
              ? Effect.fail(new NotFound({ error: "There is no such run.", hint: "GET /ops/v1/checks lists them." }))
              : unavailable("ops")(error),
        )
        return shown(run)
      }),
    })
  }),
)
