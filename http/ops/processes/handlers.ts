import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Processes, type ReportingProcess } from "#src/processes/Processes.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { iso } from "../shapes.ts"

const shown = ({ id, roles, version, node, startedAt, at, isSilent, sample, actors }: ReportingProcess) => ({
  id,
  roles,
  version,
  node,
  started_at: iso(startedAt),
  reported_at: iso(at),
  is_silent: isSilent,
  rss_bytes: sample.rss,
  heap_bytes: sample.heap,
  loop_lag_ms: sample.lag,
  cpu_cores: sample.cpu,
  actors: Object.keys(actors).length,
})

const hourMillis = 3_600_000

export const ProcessesHandlers = HttpApiBuilder.group(
  OperatorApi,
  "processes",
  Effect.fnUntraced(function* (handlers) {
    const processes = yield* Processes
    return handlers.handleAll({
      list: () =>
        Effect.map(processes.list, (all) => ({ processes: all.map(shown) })).pipe(Effect.catch(unavailable("ops"))),
      history: Effect.fnUntraced(function* ({ query: { after = 0 } }) {
        const now = yield* Clock.currentTimeMillis
        const samples = yield* Effect.catch(processes.samples(Math.max(after, now - hourMillis)), unavailable("ops"))
        return { samples }
      }),
    })
  }),
)
