import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { Queues } from "#src/mesh/Queues.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { redact } from "#src/platform/text/redact.ts"
import { Processes } from "#src/processes/Processes.ts"
import { Runs } from "#src/repair/runs/Runs.ts"
import { Status } from "#src/status/Status.ts"
import * as OperatorStore from "#src/webhooks/delivery/OperatorStore.ts"
import { OperatorApi } from "../Api.ts"
import { shownOverview } from "./translate.ts"

/** Longer than a busy store takes; the page asks again in a few seconds anyway. */
const patience = "3 seconds"

/** A part of the overview, or why a store did not give it. */
const part = <A, E>(work: Effect.Effect<A, E>) =>
  work.pipe(
    Effect.timeout(patience),
    Effect.match({
      onSuccess: (value) => ({ value, trouble: undefined }),
      onFailure: (error) => ({ value: undefined, trouble: redact(describe(error)) }),
    }),
  )

export const OverviewHandlers = HttpApiBuilder.group(
  OperatorApi,
  "overview",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* Status
    const queues = yield* Queues
    const processes = yield* Processes
    const log = yield* EventLog
    const tail = yield* EventTail
    const runs = yield* Runs
    const { reads } = yield* Postgres

    const overview = Effect.gen(function* () {
      const [sources, counts, running, deliveries, head, last, checks] = yield* Effect.all(
        [
          part(status.sources),
          part(queues.counts),
          part(processes.list),
          part(OperatorStore.totals(reads)),
          part(log.head),
          part(tail.last),
          part(runs.list),
        ],
        { concurrency: "unbounded" },
      )
      const parts = { sources, counts, running, deliveries, head, last, checks }
      return shownOverview(parts, yield* Clock.currentTimeMillis)
    })
    return handlers.handleAll({ overview: () => overview })
  }),
)
