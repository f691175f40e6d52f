import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Processes, type ReportingProcess } from "#src/processes/Processes.ts"
import { Status } from "#src/status/Status.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"

/** Errors of one source in all running processes. */
const errorsOf = (processes: ReadonlyArray<ReportingProcess>, source: string): Record<string, number> => {
  const sum: Record<string, number> = {}
  for (const { errors } of processes) {
    for (const [kind, count] of Object.entries(errors[source] ?? {})) sum[kind] = (sum[kind] ?? 0) + count
  }
  return sum
}

export const SourcesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "sources",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* Status
    const processes = yield* Processes
    return handlers.handleAll({
      list: () =>
        Effect.map(
          Effect.all([status.sources, processes.list], { concurrency: "unbounded" }),
          ([{ sources, ...report }, running]) => ({
            ...report,
            sources: sources.map((each) => ({ ...each, errors: errorsOf(running, each.source) })),
          }),
        ).pipe(Effect.catch(unavailable("ops"))),
    })
  }),
)
